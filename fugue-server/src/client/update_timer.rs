//! The pace of screen updates to a client.

use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// The time at which changed screens are sent: when a pane notifies, but no more often than an interval allows.
pub(super) struct UpdateTimer {
    pub(super) changed: Rc<Notify>,
    /// A notification was received and nothing was sent since. It is kept here because it is not repeated if another
    /// branch of the loop runs first.
    is_pending: bool,
    next: Instant,
}

impl UpdateTimer {
    pub(super) fn new() -> Self {
        Self { changed: Rc::new(Notify::new()), is_pending: false, next: Instant::now() }
    }

    /// Waits until something changed and the interval has passed.
    pub(super) async fn due(&mut self) {
        if !self.is_pending {
            self.changed.notified().await;
            self.is_pending = true;
        }
        if self.next > Instant::now() {
            tokio::time::sleep_until(self.next.into()).await;
        }
    }

    /// Starts the next interval.
    pub(super) fn restart(&mut self, interval: Duration) {
        self.is_pending = false;
        self.next = Instant::now() + interval;
    }

    /// Makes the current interval longer.
    pub(super) fn delay(&mut self, more: Duration) {
        self.next += more;
    }
}
