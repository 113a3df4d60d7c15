//! When the daemon releases the memory of its code: after it or a pane has started.

use std::rc::Rc;
use std::time::Duration;

use fugue_keeper::release_program_code;
use tokio::sync::Notify;

/// How long after the daemon or a pane has started: that is over by then, and so are the first requests of whoever started
/// it.
const DELAY: Duration = Duration::from_millis(250);

/// Who gives back the memory. Nothing happens while no pane starts.
#[derive(Debug, Clone)]
pub(crate) struct IdleCode(Rc<Notify>);

impl IdleCode {
    /// Starts it, with the daemon.
    pub(crate) fn start() -> Self {
        let started = Rc::new(Notify::new());
        started.notify_one();
        tokio::task::spawn_local(release_after(Rc::clone(&started)));
        Self(started)
    }

    /// A pane has started.
    pub(crate) fn pane_started(&self) {
        self.0.notify_one();
    }
}

/// Gives the memory back after each start, or after the last one of several.
async fn release_after(started: Rc<Notify>) {
    loop {
        started.notified().await;
        while tokio::time::timeout(DELAY, started.notified()).await.is_ok() {}
        release_program_code();
    }
}
