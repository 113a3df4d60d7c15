//! Programs that are being started: requested from the keeper, but not yet hosted by a pane.

use std::collections::BTreeMap;

use fugue_core::{ChildSpec, Started, Ticket};
use fugue_keeper::{Pump, SpawnStage};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::wording::without_codes;
use fugue_protocol::{PaneId, Refusal, RunId};

use crate::program_start::shell_integration::is_bare_shell;
use crate::program_start::spawn_environment::SpawnEnvironment;
use crate::session::manager_inputs::ManagerInput;

/// Programs that are being started.
#[derive(Default)]
pub(crate) struct PendingSpawns {
    groups: BTreeMap<Ticket, SpawnGroup>,
    /// Programs that run but have no pane yet.
    spawned: BTreeMap<RunId, SpawnedProgram>,
    /// Programs that asked who they are before their pane exists; they are identified after the batch.
    pub(crate) early_callers: Vec<ManagerInput>,
}

/// A program that runs, with its terminal.
pub(crate) struct SpawnedProgram {
    pub(crate) pid: u32,
    pub(crate) pump: Pump,
    /// How it ended, if it ended before its pane existed.
    pub(crate) exit: Option<ExitStatus>,
}

/// The children of one request.
struct SpawnGroup {
    expected: BTreeMap<RunId, (ChildSpec, String)>,
    started: Vec<Started>,
    failure: Option<Refusal>,
}

/// The outcome of a request once the keeper has reported all its children: all run, or those that do must be killed.
pub(crate) struct SpawnOutcome {
    pub(crate) ticket: Ticket,
    pub(crate) outcome: Result<Vec<Started>, Refusal>,
    pub(crate) kill: Vec<RunId>,
}

impl PendingSpawns {
    /// Expects these children of a request, each in its directory.
    pub(crate) fn expect(&mut self, ticket: Ticket, children: Vec<(ChildSpec, String)>) {
        let expected = children.into_iter().map(|(child, cwd)| (child.run, (child, cwd))).collect();
        self.groups.insert(ticket, SpawnGroup { expected, started: Vec::new(), failure: None });
    }

    /// Takes a program that runs now; returns it if nobody expects it.
    pub(crate) fn spawned(
        &mut self,
        run: RunId,
        program: SpawnedProgram,
        environment: &SpawnEnvironment,
    ) -> Result<Option<SpawnOutcome>, SpawnedProgram> {
        let Some((ticket, child, cwd)) = self.take_expected(run) else { return Err(program) };
        if let Some(group) = self.groups.get_mut(&ticket) {
            let name = environment.program(&child);
            let (pane, pid, run) = (child.pane, program.pid, Some(run));
            group.started.push(Started { pane, pid, cwd, program: name, run, worktree: None, failure: None });
        }
        self.spawned.insert(run, program);
        Ok(self.complete(ticket))
    }

    /// Takes note that a program could not be started. This shell runs if no other program is requested.
    pub(crate) fn failed(
        &mut self,
        run: RunId,
        (stage, why): (SpawnStage, &std::io::Error),
        shell: &str,
    ) -> Option<SpawnOutcome> {
        let (ticket, child, cwd) = self.take_expected(run)?;
        let group = self.groups.get_mut(&ticket)?;
        let refusal = refusal(executed(&child, shell), cwd.clone(), stage, why);
        match &child.restored {
            // The other lost programs are started nevertheless.
            Some(_) => group.started.push(not_started(&child, cwd, &refusal)),
            None => drop(group.failure.get_or_insert(refusal)),
        }
        self.complete(ticket)
    }

    fn take_expected(&mut self, run: RunId) -> Option<(Ticket, ChildSpec, String)> {
        self.groups.iter_mut().find_map(|(ticket, group)| {
            let (child, cwd) = group.expected.remove(&run)?;
            Some((*ticket, child, cwd))
        })
    }

    fn complete(&mut self, ticket: Ticket) -> Option<SpawnOutcome> {
        if !self.groups.get(&ticket)?.expected.is_empty() {
            return None;
        }
        let group = self.groups.remove(&ticket)?;
        Some(match group.failure {
            None => SpawnOutcome { ticket, outcome: Ok(group.started), kill: Vec::new() },
            Some(refusal) => {
                let pids: Vec<_> = group.started.iter().map(|child| child.pid).collect();
                let of_group = |program: &SpawnedProgram| pids.contains(&program.pid);
                let kill: Vec<_> = self.spawned.extract_if(.., |_, program| of_group(program)).collect();
                let kill = kill.into_iter().map(|(run, _)| run).collect();
                SpawnOutcome { ticket, outcome: Err(refusal), kill }
            }
        })
    }

    /// Whether a pane's program is being started.
    pub(crate) fn expects(&self, pane: PaneId) -> bool {
        self.groups.values().any(|group| {
            group.expected.values().any(|(child, _)| child.pane == pane)
                || group.started.iter().any(|child| child.pane == pane)
        })
    }

    /// Whether any program is being started.
    pub(crate) fn is_pending(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Takes note that a program ended before its pane existed; returns whether it is one of these.
    pub(crate) fn exited(&mut self, run: RunId, exit: ExitStatus) -> bool {
        self.spawned.get_mut(&run).map(|program| program.exit = Some(exit)).is_some()
    }

    /// Removes a program, to be hosted by its pane or to be killed.
    pub(crate) fn take(&mut self, run: RunId) -> Option<SpawnedProgram> {
        self.spawned.remove(&run)
    }
}

fn not_started(child: &ChildSpec, cwd: String, refusal: &Refusal) -> Started {
    let failure = Some(refusal.to_string());
    Started { pane: child.pane, pid: 0, cwd, program: String::new(), run: None, worktree: None, failure }
}

/// Returns what was to be executed: the shell, unless another program is requested.
fn executed(child: &ChildSpec, shell: &str) -> String {
    match child.launch.argv.is_empty() && !is_bare_shell(child) {
        true => shell.to_owned(),
        false => child.launch.label(),
    }
}

fn refusal(command: String, cwd: String, stage: SpawnStage, why: &std::io::Error) -> Refusal {
    let is_out_of_files = why.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error());
    let why = without_codes(&why.to_string()).into_owned();
    match stage {
        SpawnStage::Limit if is_out_of_files => Refusal::TooManyFiles { command },
        SpawnStage::Cwd => Refusal::BadDirectory { cwd, why },
        SpawnStage::Exec | SpawnStage::Request | SpawnStage::Limit | SpawnStage::Pty => {
            Refusal::CannotStart { command, why }
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Launch;
    use fugue_protocol::{SessionId, Size, WindowId};

    use super::*;

    fn child(number: u8) -> ChildSpec {
        ChildSpec {
            pane: PaneId::from_bytes([number; 16]),
            numbers: fugue_core::TmuxNumbers::default(),
            run: RunId::from_bytes([number; 16]),
            window: WindowId::from_bytes([1; 16]),
            session: SessionId::from_bytes([1; 16]),
            session_name: "work".parse().expect("a session name"),
            launch: Launch::default(),
            environment: BTreeMap::new(),
            comes_from: None,
            size: Size::DEFAULT,
            worktree: None,
            reuses_worktree: false,
            setup: None,
            agent: None,
            confined_by: Default::default(),
            restored: None,
        }
    }

    #[test]
    fn a_lost_program_that_cannot_be_started_again_does_not_stop_the_others() {
        let mut spawns = PendingSpawns::default();
        let restored = Some(fugue_core::RestoredChild { fallback_cwd: None });
        let lost = ChildSpec { restored, ..child(1) };
        let run = lost.run;
        spawns.expect(7, vec![(lost, "/".into())]);
        let why = std::io::Error::from_raw_os_error(2);
        let outcome = spawns.failed(run, (SpawnStage::Exec, &why), "/bin/fish").expect("all are reported");
        let started = outcome.outcome.expect("not refused");
        let failure = started[0].failure.as_deref().expect("a reason");
        assert_eq!(failure, "Cannot start `/bin/fish`: No such file or directory");
    }

    #[test]
    fn a_request_is_refused_with_its_first_failure_once_all_its_programs_are_reported() {
        let mut spawns = PendingSpawns::default();
        let (first, second) = (child(1), child(2));
        let (pane, runs) = (first.pane, [first.run, second.run]);
        spawns.expect(7, vec![(first, "/".into()), (second, "/".into())]);
        assert!(spawns.expects(pane));
        let why = std::io::Error::from_raw_os_error(2);
        let first = spawns.failed(runs[0], (SpawnStage::Cwd, &why), "sh");
        assert!(first.is_none(), "the other one is not reported yet");
        let outcome = spawns.failed(runs[1], (SpawnStage::Exec, &why), "sh").expect("all are reported");
        assert_eq!((outcome.ticket, outcome.kill), (7, Vec::new()));
        assert!(matches!(outcome.outcome, Err(Refusal::BadDirectory { .. })));
        assert!(!spawns.expects(pane));
    }
}
