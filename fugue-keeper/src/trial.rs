//! The first seconds of a new version of the daemon. If it fails, the keeper starts the version before it again.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use crate::backoff::DaemonStage;

/// How long a new version is on trial after its first start.
const TRIAL: Duration = Duration::from_secs(10);

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
    /// When the first daemon of the new version was started.
    began: Option<Instant>,
    deaths: u32,
}

impl Trial {
    pub(crate) fn new(previous: OwnedFd, arguments: Vec<OsString>) -> Self {
        Self { previous, arguments, began: None, deaths: 0 }
    }

    /// Notes that a daemon is started.
    pub(crate) fn started(&mut self, now: Instant) {
        self.began.get_or_insert(now);
    }

    /// When it ends.
    pub(crate) fn end(&self) -> Option<Instant> {
        Some(self.began? + TRIAL)
    }

    /// Whether a daemon that got this far has failed the trial. The one before the upgrade does not count.
    pub(crate) fn is_failed_by(&mut self, stage: DaemonStage) -> bool {
        self.deaths += u32::from(self.began.is_some());
        self.began.is_some() && (stage == DaemonStage::Failed || self.deaths >= MAX_DEATHS)
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
