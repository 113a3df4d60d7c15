//! The manager's part in an upgrade: it checks who asks for it, describes this daemon, and makes way for the next one.

use std::path::Path;

use fugue_protocol::Refusal;
use fugue_protocol::upgrade::UpgradeReport;

use super::manager::Manager;
use super::manager_inputs::UpgradeInput;
use crate::clock;
use crate::processes::own_executable;

impl Manager {
    /// Answers a client that asks for an upgrade.
    pub(super) fn begin_upgrade(&mut self, input: UpgradeInput) {
        let allowed = if input.request.report_only { Ok(()) } else { self.may_upgrade(&input) };
        let report = allowed.map(|()| self.upgrade_report(Path::new(&input.request.binary)));
        if input.answer.send(report).is_err() && !input.request.report_only {
            self.lifecycle.upgrade_ended(false);
        }
    }

    fn may_upgrade(&mut self, input: &UpgradeInput) -> Result<(), Refusal> {
        let (allowed, entry) = self.machine.may_upgrade(input.caller);
        if let Some(entry) = entry {
            self.store.audit(clock::now(), input.pid, &entry);
        }
        allowed?;
        let in_progress = || Refusal::CannotUpgrade { why: "an upgrade is in progress".into() };
        if self.lifecycle.begin_upgrade() { Ok(()) } else { Err(in_progress()) }
    }

    fn upgrade_report(&self, binary: &Path) -> UpgradeReport {
        UpgradeReport {
            executable: own_executable::path(),
            is_requested_binary: own_executable::is_at(binary),
            daemon_pid: std::process::id(),
            keeper_pid: self.host.keeper_pid,
            programs: self.world().panes.values().filter(|pane| pane.exit().is_none()).count(),
            rolled_back: fugue_keeper::rolled_back(),
        }
    }
}
