//! The daemon's own state: its uptime, clients, warnings, and how it ends.

use std::time::{Duration, Instant};

use fugue_protocol::views::Done;

use crate::listener::ListenerHandle;
use crate::reply::Reply;

/// How long the client that asked for the shutdown may take to read the reply.
const FINAL_REPLY_TIMEOUT: Duration = Duration::from_secs(2);

/// The daemon's own state.
pub(super) struct Lifecycle {
    started: Instant,
    pub(super) clients: usize,
    pub(super) warnings: Vec<String>,
    /// The reply to the request that asked for the shutdown; it is sent last of all.
    shutdown: Option<Reply>,
    /// Whether the keeper is gone.
    is_orphaned: bool,
    listener: ListenerHandle,
}

impl Lifecycle {
    pub(super) fn new(warnings: Vec<String>, listener: ListenerHandle) -> Self {
        let started = Instant::now();
        Self { started, clients: 0, warnings, shutdown: None, is_orphaned: false, listener }
    }

    /// Logs a warning and adds it to the daemon's status.
    pub(super) fn warn(&mut self, warning: String) {
        tracing::warn!("{warning}");
        self.warnings.push(warning);
    }

    pub(super) fn uptime_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The keeper is gone: no program can be started any more.
    pub(super) fn keeper_lost(&mut self) {
        self.is_orphaned = true;
        self.warn("The keeper is gone; no new programs can be started".into());
    }

    /// Whether the daemon is of no further use: without a keeper it serves only the panes it has.
    pub(super) fn is_useless(&self, panes: usize) -> bool {
        self.is_orphaned && panes == 0
    }

    pub(super) fn request_shutdown(&mut self, reply: Reply) {
        self.shutdown = Some(reply);
    }

    pub(super) fn is_shutting_down(&self) -> bool {
        self.shutdown.is_some()
    }

    /// Stops listening, and tells the client that asked for the shutdown that it is done.
    pub(super) async fn shut_down(self) {
        self.listener.close();
        if let Some(reply) = self.shutdown {
            let unwritten = reply.unwritten();
            reply.done(&Done {});
            let _ = tokio::time::timeout(FINAL_REPLY_TIMEOUT, unwritten.drained()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published_address::PublishedAddress;

    #[test]
    fn without_a_keeper_the_daemon_stays_as_long_as_it_has_panes() {
        let state = tempfile::tempdir().expect("a directory");
        let address = PublishedAddress::unpublished(state.path());
        let (listener, _closed) = ListenerHandle::new(address);
        let mut lifecycle = Lifecycle::new(Vec::new(), listener);
        assert!(!lifecycle.is_useless(0));
        lifecycle.keeper_lost();
        assert!(!lifecycle.is_useless(1));
        assert!(lifecycle.is_useless(0));
        assert_eq!(lifecycle.warnings, ["The keeper is gone; no new programs can be started"]);
    }
}
