//! Watchers of a screen: a bell each. A pane rings it and goes on; whoever hears it asks for what changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// One client's eye on one pane.
#[derive(Debug)]
pub(crate) struct Watcher {
    changed: AtomicBool,
    /// Somebody typed into the pane: the next change is what they wait for.
    eager: AtomicBool,
    echoed: AtomicBool,
    bell: Arc<Notify>,
    /// Rung instead of the bell for a change that somebody waits for.
    echo: Arc<Notify>,
}

impl Watcher {
    /// A watcher that has not seen anything yet.
    pub(crate) fn new(bell: Arc<Notify>, echo: Arc<Notify>) -> Arc<Self> {
        let off = || AtomicBool::new(false);
        Arc::new(Self { changed: AtomicBool::new(true), eager: off(), echoed: off(), bell, echo })
    }

    fn ring(&self) {
        let first = !self.changed.swap(true, Ordering::Relaxed);
        if self.eager.swap(false, Ordering::Relaxed) {
            self.echoed.store(true, Ordering::Relaxed);
            self.echo.notify_one();
        } else if first {
            self.bell.notify_one();
        }
    }

    /// Whether the change that somebody waits for has come since this was last asked.
    pub(crate) fn take_echo(&self) -> bool {
        self.echoed.swap(false, Ordering::Relaxed) && self.take()
    }

    /// There is more to see than was looked at.
    pub(crate) fn again(&self) {
        self.ring();
    }

    /// Whether something changed since this was last asked.
    pub(crate) fn take(&self) -> bool {
        self.changed.swap(false, Ordering::Relaxed)
    }
}

/// All who watch one pane.
#[derive(Default)]
pub(super) struct Watchers(Vec<Arc<Watcher>>);

impl Watchers {
    pub(super) fn add(&mut self, watcher: Arc<Watcher>) {
        self.forget_gone();
        self.0.push(watcher);
    }

    /// Somebody typed: the next change is shown without waiting for the next frame.
    pub(super) fn expect_echo(&self) {
        self.0.iter().for_each(|watcher| watcher.eager.store(true, Ordering::Relaxed));
    }

    pub(super) fn ring(&mut self) {
        self.forget_gone();
        self.0.iter().for_each(|watcher| watcher.ring());
    }

    /// Whether anybody watches.
    pub(super) fn any(&mut self) -> bool {
        self.forget_gone();
        !self.0.is_empty()
    }

    /// A watcher that nobody else holds is gone.
    fn forget_gone(&mut self) {
        self.0.retain(|watcher| Arc::strong_count(watcher) > 1);
    }
}
