//! Watchers of a screen: a bell each. A pane rings it and goes on; whoever hears it asks for what changed. What somebody
//! who typed waits for is laid ready beside the bell: it need not be asked for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fugue_screen::Screen;
use tokio::sync::Notify;

use super::Copied;
use super::task::Task;

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
    /// The revision that the client has.
    known: AtomicU64,
    /// The newest change, if somebody waits for it.
    laid: Mutex<Option<Shown>>,
}

impl Watcher {
    /// A watcher that has not seen anything yet.
    pub(crate) fn new(bell: Arc<Notify>, echo: Arc<Notify>) -> Arc<Self> {
        let off = || AtomicBool::new(false);
        let (changed, known) = (AtomicBool::new(true), AtomicU64::new(0));
        Arc::new(Self { changed, eager: off(), echoed: off(), bell, echo, known, laid: Mutex::default() })
    }

    fn ring(&self) {
        self.ring_with(|_| None);
    }

    /// Rings. For who waits, what the client does not know yet is laid ready; what was laid before is no longer the newest.
    fn ring_with(&self, shown: impl FnOnce(u64) -> Option<Shown>) {
        let first = !self.changed.swap(true, Ordering::Relaxed);
        let eager = self.eager.swap(false, Ordering::Relaxed);
        self.lay(eager.then(|| shown(self.known.load(Ordering::Relaxed))).flatten());
        if eager {
            self.echoed.store(true, Ordering::Relaxed);
            self.echo.notify_one();
        } else if first {
            self.bell.notify_one();
        }
    }

    fn lay(&self, shown: Option<Shown>) -> Option<Shown> {
        std::mem::replace(&mut *self.laid.lock().unwrap_or_else(PoisonError::into_inner), shown)
    }

    /// What changed since this revision, if it is laid ready.
    pub(crate) fn take_laid(&self, since: u64) -> Option<Shown> {
        self.lay(None).filter(|shown| shown.since == since)
    }

    /// The client has this revision.
    pub(crate) fn knows(&self, revision: u64) {
        self.known.store(revision, Ordering::Relaxed);
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
        self.ring_with(|_| None);
    }

    /// Rings all bells, and says whether somebody waited for that.
    fn ring_with(&mut self, shown: impl Fn(u64) -> Option<Shown>) -> bool {
        self.forget_gone();
        let waited = self.0.iter().any(|watcher| watcher.eager.load(Ordering::Relaxed));
        self.0.iter().for_each(|watcher| watcher.ring_with(&shown));
        waited
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

/// A screen's change for somebody who watches it.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The revision that it changes.
    pub(crate) since: u64,
    /// The revision that the screen has with it.
    pub(crate) revision: u64,
    pub(crate) update: Vec<u8>,
    pub(crate) copied: Copied,
}

impl Shown {
    /// What changed on a screen.
    pub(super) fn new(screen: &Screen, since: u64, copied: &Copied) -> Self {
        let (revision, update) = (screen.revision(), screen.update_since(since).encode());
        Self { since, revision, update, copied: copied.clone() }
    }
}

impl Task {
    /// Goes the way of a key and its echo with nothing in hand: what that takes is fetched from memory before they come.
    pub(super) fn rehearse(&mut self, screen: &Screen) {
        self.write();
        drop(Shown::new(screen, screen.revision().saturating_sub(1), &self.copied));
    }

    /// Lets all who watch know, and says whether somebody waited for it.
    pub(super) fn ring(&mut self, screen: &Screen) -> bool {
        let copied = &self.copied;
        self.watchers.ring_with(|since| Some(Shown::new(screen, since, copied)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_screen::{Limits, Size};

    #[test]
    fn what_was_laid_ready_is_the_newest_or_is_asked_for() {
        let bell = Arc::new(Notify::new());
        let watcher = Watcher::new(Arc::clone(&bell), bell);
        let mut watchers = Watchers::default();
        watchers.add(Arc::clone(&watcher));
        let mut screen = Screen::new(Size { cols: 10, rows: 2 }, Limits::default());
        let mut write = |watchers: &mut Watchers, text: &[u8]| {
            screen.feed(text);
            watchers.ring_with(|since| Some(Shown::new(&screen, since, &Copied::default())));
            screen.revision()
        };
        write(&mut watchers, b"a");
        assert!(watcher.take_laid(0).is_none(), "nobody waits for it");
        watchers.expect_echo();
        let revision = write(&mut watchers, b"b");
        assert_eq!(watcher.take_laid(0).expect("laid ready").revision, revision);
        watcher.knows(revision);
        watchers.expect_echo();
        write(&mut watchers, b"c");
        assert!(watcher.take_laid(0).is_none(), "it begins where the client is");
        watchers.expect_echo();
        write(&mut watchers, b"d");
        write(&mut watchers, b"e");
        assert!(watcher.take_laid(revision).is_none(), "there is a newer one");
        assert!(watcher.take_echo(), "which is shown at once, too");
    }
}
