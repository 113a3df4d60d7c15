//! The daemon's own state: its uptime, connections, warnings, and how it ends.

use std::time::{Duration, Instant};

use fugue_protocol::views::Done;

use crate::listener::socket::ListenerHandle;
use crate::replies::reply::Reply;

/// How long the client that asked for the shutdown may take to read the reply.
const FINAL_REPLY_TIMEOUT: Duration = Duration::from_secs(2);

/// How long replies that are decided have to reach their clients before the daemon exits. A client that takes longer
/// finds its connection lost, as after a crash, and repeats what may be repeated.
const LAST_REPLIES: Duration = Duration::from_millis(50);

/// Warnings that are shown at most: more than anybody reads. All of them are in the log.
const MAX_WARNINGS: usize = 16;

/// The daemon's own state.
pub(super) struct Lifecycle {
    started: Instant,
    pub(super) connections: usize,
    /// Different warnings, the most recent last, and how many older ones are no longer shown.
    warnings: Vec<String>,
    hidden_warnings: usize,
    /// The reply to the request that asked for the shutdown; it is sent last of all.
    shutdown: Option<Reply>,
    /// The warning that there is no keeper, while there is none.
    keeper_warning: Option<String>,
    listener: ListenerHandle,
    upgrade: UpgradeState,
    /// Whether a signal ends this daemon. Programs that exit from now on may get one, too: the machine shuts down.
    pub(super) is_terminating: bool,
}

/// How far an upgrade is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UpgradeState {
    None,
    /// The keeper is being replaced.
    Begun,
    /// The keeper was replaced, and will start the new daemon.
    KeeperReplaced,
}

impl Lifecycle {
    pub(super) fn new(warnings: Vec<String>, listener: ListenerHandle) -> Self {
        let started = Instant::now();
        let (shutdown, keeper_warning, upgrade) = (None, None, UpgradeState::None);
        let (connections, hidden_warnings, is_terminating) = (0, 0, false);
        Self {
            started,
            connections,
            warnings,
            hidden_warnings,
            shutdown,
            keeper_warning,
            listener,
            upgrade,
            is_terminating,
        }
    }

    /// Logs a warning and adds it to the daemon's status.
    pub(super) fn warn(&mut self, warning: String) {
        tracing::warn!("{warning}");
        self.warnings.retain(|earlier| *earlier != warning);
        self.warnings.push(warning);
        if self.warnings.len() > MAX_WARNINGS {
            self.warnings.remove(0);
            self.hidden_warnings += 1;
        }
    }

    pub(super) fn uptime_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The keeper is gone, and a new one cannot be started.
    pub(super) fn keeper_missing(&mut self, why: &str) {
        self.keeper_warning = Some(format!("The keeper was killed and cannot be restarted: {why}"));
    }

    /// There is a keeper again.
    pub(super) fn keeper_replaced(&mut self, pid: u32) {
        self.listener.set_keeper(pid);
        self.keeper_warning = None;
    }

    /// The warnings for the daemon's status.
    pub(super) fn warnings(&self) -> Vec<String> {
        let hidden = match self.hidden_warnings {
            0 => None,
            count => {
                Some(format!("Warnings that are no longer shown: {count}; they are in the daemon's log"))
            }
        };
        self.warnings.iter().chain(&self.keeper_warning).cloned().chain(hidden).collect()
    }

    pub(super) fn request_shutdown(&mut self, reply: Reply) {
        self.shutdown = Some(reply);
    }

    pub(super) fn is_shutting_down(&self) -> bool {
        self.shutdown.is_some()
    }

    /// Begins an upgrade. Returns whether there was none in progress.
    pub(super) fn begin_upgrade(&mut self) -> bool {
        let is_first = self.upgrade == UpgradeState::None;
        self.upgrade = if is_first { UpgradeState::Begun } else { self.upgrade };
        is_first
    }

    pub(super) fn upgrade_ended(&mut self, is_keeper_replaced: bool) {
        let ended = if is_keeper_replaced { UpgradeState::KeeperReplaced } else { UpgradeState::None };
        self.upgrade = ended;
    }

    /// Whether another version of the daemon is to take over.
    pub(super) fn is_replaced(&self) -> bool {
        self.upgrade == UpgradeState::KeeperReplaced
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

/// Ends this daemon, so that the keeper starts the next one. Sessions, panes and waits are left as they are, as in a
/// crash: nothing must be dropped, since a dropped reply is a refusal.
pub(super) async fn make_way() -> ! {
    tracing::info!("The keeper was upgraded; exiting so that the new daemon can start");
    tokio::time::sleep(LAST_REPLIES).await;
    std::process::exit(fugue_keeper::EXIT_FOR_UPGRADE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listener::published_address::PublishedAddress;

    #[test]
    fn a_warning_that_is_repeated_is_shown_once_and_of_many_the_newest_are() {
        let state = tempfile::tempdir().expect("a directory");
        let (listener, _closed) = ListenerHandle::new(PublishedAddress::unpublished(state.path()));
        let mut lifecycle = Lifecycle::new(Vec::new(), listener);
        (0..3).for_each(|_| lifecycle.warn("The same".into()));
        assert_eq!(lifecycle.warnings(), ["The same"]);
        (0..=MAX_WARNINGS).for_each(|number| lifecycle.warn(format!("Number {number}")));
        let warnings = lifecycle.warnings();
        assert_eq!((warnings.len(), warnings[0].as_str()), (MAX_WARNINGS + 1, "Number 1"));
        assert_eq!(
            warnings[MAX_WARNINGS],
            "Warnings that are no longer shown: 2; they are in the daemon's log"
        );
    }

    #[test]
    fn a_missing_keeper_is_a_warning_until_there_is_one_again() {
        let state = tempfile::tempdir().expect("a directory");
        let (listener, _closed) = ListenerHandle::new(PublishedAddress::unpublished(state.path()));
        let mut lifecycle = Lifecycle::new(vec!["First".into()], listener);
        lifecycle.keeper_missing("no such file");
        lifecycle.keeper_missing("too many processes");
        let warning = "The keeper was killed and cannot be restarted: too many processes";
        assert_eq!(lifecycle.warnings(), ["First", warning]);
        lifecycle.keeper_replaced(7);
        assert_eq!(lifecycle.warnings(), ["First"]);
    }
}
