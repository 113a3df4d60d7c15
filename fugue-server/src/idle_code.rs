//! When the daemon releases the memory of its code: after it or a pane has started.

use std::rc::Rc;
use std::time::Duration;

use fugue_keeper::release_program_code;
use tokio::sync::Notify;

/// The pauses after the daemon or a pane has started, each followed by a release: until the start is over, and with it the
/// first requests of whoever started it; and until the new pane has been observed and its first screen is saved.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1_250)];

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
        while !released(&started).await {}
    }
}

/// Gives the memory back after each pause. Returns whether no pane started meanwhile.
async fn released(started: &Notify) -> bool {
    for pause in PAUSES {
        if tokio::time::timeout(pause, started.notified()).await.is_ok() {
            return false;
        }
        release_program_code();
    }
    true
}
