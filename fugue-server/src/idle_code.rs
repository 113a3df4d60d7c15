//! Releases the memory of the daemon's code after it or a pane has started.

use std::rc::Rc;
use std::time::Instant;

use fugue_keeper::CodeRelease;
use tokio::sync::Notify;
use tokio::time::timeout_at;

use crate::pane::last_key;

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

/// Gives the memory back. Returns whether no pane started meanwhile.
async fn released(started: &Notify) -> bool {
    let mut release = CodeRelease::after_start(Instant::now());
    while let Some(due) = release.due() {
        if timeout_at(due.into(), started.notified()).await.is_ok() {
            return false;
        }
        release.run(last_key(), Instant::now());
    }
    true
}
