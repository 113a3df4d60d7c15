//! The first seconds of a new version of the daemon. If it fails, the keeper starts the version before it again.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use super::backoff::DaemonStage;

/// How long a new version is on trial from when it serves.
const TRIAL: Duration = Duration::from_secs(10);

/// How long a new version has to serve: as long as `fugue upgrade` waits for it. A long journal takes seconds.
const SERVES_WITHIN: Duration = Duration::from_secs(60);

/// The daemons that may end during the trial after they served: the first one may have been killed by a person.
const MAX_DEATHS: u32 = 2;

/// The environment variable with the reason why the version before is running again.
const ROLLED_BACK: &str = "FUGUE_ROLLED_BACK";

/// The longest reason that a daemon is told, in bytes: some sentences.
const MAX_REASON: usize = 4 << 10;

/// Returns why an upgrade was rolled back, in the daemon that runs since.
pub fn rolled_back() -> Option<String> {
    std::env::var(ROLLED_BACK).ok()
}

/// A new version on trial.
pub(crate) struct Trial {
    /// The executable of the daemon before the upgrade; its file may be gone.
    previous: OwnedFd,
    /// The command line of that daemon.
    arguments: Vec<OsString>,
    /// When its running daemon, or the last one, was started. None while the daemon before the upgrade is running.
    started: Option<Instant>,
    /// When that daemon began to serve. A trial does not end before.
    serving_since: Option<Instant>,
    deaths: u32,
}

impl Trial {
    pub(crate) fn new(previous: OwnedFd, arguments: Vec<OsString>) -> Self {
        Self { previous, arguments, started: None, serving_since: None, deaths: 0 }
    }

    /// Notes that a daemon is started.
    pub(crate) fn started(&mut self, now: Instant) {
        (self.started, self.serving_since) = (Some(now), None);
    }

    /// Notes that the daemon serves clients. The one before the upgrade does not count.
    pub(crate) fn serves(&mut self, now: Instant) {
        if self.started.is_some() {
            self.serving_since.get_or_insert(now);
        }
    }

    /// When it ends.
    pub(crate) fn end(&self) -> Option<Instant> {
        Some(self.serving_since? + TRIAL)
    }

    /// When a daemon that does not serve has failed.
    pub(crate) fn start_deadline(&self) -> Option<Instant> {
        self.started.filter(|_| self.serving_since.is_none()).map(|started| started + SERVES_WITHIN)
    }

    /// Whether a daemon that got this far has failed the trial. The one before the upgrade does not count.
    pub(crate) fn is_failed_by(&mut self, stage: DaemonStage) -> bool {
        self.deaths += u32::from(self.started.is_some());
        self.started.is_some() && (stage == DaemonStage::Failed || self.deaths >= MAX_DEATHS)
    }
}

/// The version that runs again after an upgrade was rolled back.
pub(crate) struct RolledBack {
    /// Its executable; none once that could not start.
    pub(crate) executable: Option<OwnedFd>,
    reason: String,
}

impl RolledBack {
    /// The version before the trial, which failed for this reason.
    pub(crate) fn from(trial: Trial, reason: &str) -> (Self, Vec<OsString>) {
        let reason = reason.replace('\0', " ").chars().take(MAX_REASON).collect();
        (Self { executable: Some(trial.previous), reason }, trial.arguments)
    }

    /// The variable that tells the daemon about it.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        (ROLLED_BACK, self.reason.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial() -> Trial {
        let file = rustix::fs::memfd_create("any", rustix::fs::MemfdFlags::CLOEXEC).expect("a file");
        Trial::new(file, Vec::new())
    }

    #[test]
    fn a_new_version_that_fails_slowly_has_failed_its_trial() {
        let (mut trial, now) = (trial(), Instant::now());
        assert!(!trial.is_failed_by(DaemonStage::Healthy), "that was the daemon before the upgrade");
        trial.started(now);
        assert_eq!(trial.end(), None, "it does not serve yet");
        assert_eq!(trial.start_deadline(), Some(now + SERVES_WITHIN));
        assert!(trial.is_failed_by(DaemonStage::Failed));
    }

    #[test]
    fn the_trial_begins_again_with_a_daemon_that_replaces_one_that_died() {
        let (mut trial, now) = (trial(), Instant::now());
        trial.started(now);
        trial.serves(now + TRIAL);
        assert_eq!((trial.end(), trial.start_deadline()), (Some(now + 2 * TRIAL), None));
        assert!(!trial.is_failed_by(DaemonStage::Served), "a person may have killed it");
        trial.started(now + 3 * TRIAL);
        assert_eq!(trial.end(), None);
        assert!(trial.is_failed_by(DaemonStage::Failed));
    }
}
