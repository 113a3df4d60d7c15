//! Returning to the version before an upgrade.

use std::time::Instant;

use crate::backoff::DaemonStage;
use crate::keeper::Keeper;
use crate::log;
use crate::trial::RolledBack;

impl Keeper {
    /// Notes that a daemon is started.
    pub(crate) fn trial_started(&mut self, now: Instant) {
        if let Some(trial) = &mut self.trial {
            trial.started(now);
        }
    }

    /// When the trial ends.
    pub(crate) fn trial_end(&self) -> Option<Instant> {
        self.trial.as_ref()?.end()
    }

    /// Ends a trial that is over: the version before is no longer needed.
    pub(crate) fn end_trial(&mut self) {
        self.trial = None;
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
