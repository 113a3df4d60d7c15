//! Returning to the version before an upgrade.

use std::time::Instant;

use rustix::process::Signal;

use super::backoff::DaemonStage;
use super::trial::RolledBack;
use crate::keeper::Keeper;
use crate::log;

impl Keeper {
    /// Notes that a daemon is started.
    pub(crate) fn trial_started(&mut self, now: Instant) {
        if let Some(trial) = &mut self.trial {
            trial.started(now);
        }
    }

    /// Notes that the daemon serves clients.
    pub(crate) fn trial_serves(&mut self, now: Instant) {
        if let Some(trial) = &mut self.trial {
            trial.serves(now);
        }
    }

    /// When the trial ends, or the daemon has to serve.
    pub(crate) fn trial_wake_at(&self) -> Option<Instant> {
        let trial = self.trial.as_ref()?;
        trial.end().or(trial.start_deadline().filter(|_| self.daemon.is_some()))
    }

    /// Ends a trial that is over, since the version before is no longer needed, or a daemon that does not serve.
    pub(crate) fn advance_trial(&mut self, now: Instant) {
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let Some(trial) = &mut self.trial else { return };
        if is_due(trial.end()) {
            self.trial = None;
        } else if is_due(trial.start_deadline())
            && let Some(daemon) = &mut self.daemon
        {
            daemon.failure = Some("it did not serve in time".into());
            daemon.child.signal(Signal::KILL);
            // Until its exit is seen, there is nothing to wait for.
            trial.started(now);
        }
    }

    /// Returns to the version before if a daemon failed its trial. Returns whether it did.
    ///
    /// If that version cannot start either, such as with a journal that the new one changed, the file at its path is
    /// tried from then on: a person can put one there that works.
    pub(crate) fn roll_back(&mut self, stage: DaemonStage, reason: &str) -> bool {
        if let Some(version) = self.rolled_back.as_mut().filter(|_| stage == DaemonStage::Failed) {
            version.executable = None;
        }
        let Some(trial) = self.trial.take_if(|trial| trial.is_failed_by(stage)) else { return false };
        log::write(format_args!("Rolled back to the version before the upgrade: {reason}"));
        let (version, arguments) = RolledBack::from(trial, reason);
        self.config.daemon = arguments;
        self.rolled_back = Some(version);
        true
    }
}
