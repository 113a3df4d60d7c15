//! Watchers of a screen: a bell each. A pane rings it and goes on; whoever hears it asks for what changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// One client's eye on one pane.
#[derive(Debug)]
pub(crate) struct Watcher {
    changed: AtomicBool,
    bell: Arc<Notify>,
}

impl Watcher {
    /// A watcher that has not seen anything yet.
    pub(crate) fn new(bell: Arc<Notify>) -> Arc<Self> {
        Arc::new(Self { changed: AtomicBool::new(true), bell })
    }

    fn ring(&self) {
        if !self.changed.swap(true, Ordering::Relaxed) {
            self.bell.notify_one();
        }
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

    pub(super) fn ring(&mut self) {
        self.forget_gone();
        self.0.iter().for_each(|watcher| watcher.ring());
    }

    /// A watcher that nobody else holds is gone.
    fn forget_gone(&mut self) {
        self.0.retain(|watcher| Arc::strong_count(watcher) > 1);
    }
}
