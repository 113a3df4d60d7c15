//! The probes of a connection whose calls wait: each opens another connection and expects the daemon's welcome.

use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::call_error::CallError;
use crate::daemon_watch::{DaemonWatch, FIRST_PROBE, NEXT_PROBE};
use crate::paths::Paths;

/// The probes of one connection; at most one is in progress.
#[derive(Debug)]
pub(crate) struct Probes {
    watch: DaemonWatch,
    next_at: Instant,
    in_progress: Option<JoinHandle<Result<(), CallError>>>,
}

impl Probes {
    pub(crate) fn new(paths: &Paths) -> Self {
        Self::of(DaemonWatch::new(paths))
    }

    /// The probes of a daemon that is watched.
    pub(crate) fn of(watch: DaemonWatch) -> Self {
        Self { watch, next_at: Instant::now() + FIRST_PROBE, in_progress: None }
    }

    /// Puts the next probe off: the daemon has just sent something, or nothing was due until now.
    pub(crate) fn restart(&mut self) {
        self.next_at = Instant::now() + FIRST_PROBE;
    }

    /// Probes the daemon until it does not answer, and returns the error. Cancel safe.
    pub(crate) async fn failure(&mut self) -> CallError {
        loop {
            if let Some(probe) = &mut self.in_progress {
                let outcome = probe.await;
                self.in_progress = None;
                self.next_at = Instant::now() + NEXT_PROBE;
                if let Ok(Err(error)) = outcome {
                    return error;
                }
            }
            tokio::time::sleep_until(self.next_at).await;
            let watch = self.watch.clone();
            self.in_progress = Some(tokio::task::spawn_blocking(move || watch.probe()));
        }
    }
}
