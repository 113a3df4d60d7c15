//! Events from the keeper about the programs it starts and reaps, and about its successor.

use std::io;

use fugue_core::Input;
use fugue_keeper::{Pump, SpawnStage};
use fugue_protocol::RunId;

use super::manager::Manager;
use super::programs::pending_spawns::{SpawnOutcome, SpawnedProgram};
use super::storage::batch::Batch;
use crate::keeper_link::KeeperEvent;
use crate::pane;

impl Manager {
    pub(super) fn keeper_event(&mut self, event: KeeperEvent, batch: &mut Batch) {
        match event {
            KeeperEvent::Spawned { run, pid, pump } => self.spawned(run, pid, pump, batch),
            KeeperEvent::SpawnFailed { run, stage, why } => match self.worktrees.take(run) {
                Some(made) => self.undo_worktree_before(made, KeeperEvent::SpawnFailed { run, stage, why }),
                None => self.spawn_failed(run, stage, &why, batch),
            },
            // The keeper tells the next daemon.
            KeeperEvent::Exited { .. } if self.lifecycle.is_terminating => {}
            KeeperEvent::Exited { run, exit } => self.exited(run, exit, batch),
            KeeperEvent::Replaced { pid } => {
                self.host.keeper_pid = pid;
                self.host.own_processes.keeper_replaced(pid);
                self.lifecycle.keeper_replaced(pid);
            }
            KeeperEvent::Unresponsive { why } => self.handle(Input::Warned { warning: why }, batch),
            KeeperEvent::ReaperEnded { pid } => self.reaper_ended(pid, batch),
            KeeperEvent::Missing { why } => self.lifecycle.keeper_missing(&why),
        }
    }

    fn reaper_ended(&mut self, pid: u32, batch: &mut Batch) {
        self.host.own_processes.reaper_ended();
        let warning = format!(
            "The reaper (process {pid}) was killed; the keeper does its work. Background processes that had left \
             their pane before now count as started outside any pane"
        );
        tracing::error!("{warning}");
        self.handle(Input::Warned { warning }, batch);
    }

    fn spawned(&mut self, run: RunId, pid: u32, pump: Pump, batch: &mut Batch) {
        let program = SpawnedProgram { pid, pump, exit: None };
        match self.spawns.spawned(run, program, &self.host.environment) {
            Ok(Some(outcome)) => self.started(outcome, batch),
            Ok(None) => {}
            // It was requested by a daemon that died before it could store the request.
            Err(_) => self.forget(run),
        }
    }

    fn spawn_failed(&mut self, run: RunId, stage: SpawnStage, why: &io::Error, batch: &mut Batch) {
        if let Some(outcome) = self.spawns.failed(run, (stage, why), &self.host.environment.shell) {
            self.started(outcome, batch);
        }
    }

    fn started(&mut self, outcome: SpawnOutcome, batch: &mut Batch) {
        outcome.kill.iter().for_each(|run| self.forget(*run));
        let outcome = SpawnOutcome { outcome: self.worktrees.with_worktrees(outcome.outcome), ..outcome };
        self.handle(Input::Started { ticket: outcome.ticket, outcome: outcome.outcome }, batch);
    }

    /// A program ended. Its pane first reads what is left of its output; without a pane nothing is left to read.
    fn exited(&mut self, run: RunId, exit: fugue_keeper::Exit, batch: &mut Batch) {
        let exit = pane::exit_status(exit);
        match self.panes.with_run(run) {
            Some(pane) => pane.exited(run, exit),
            None if self.spawns.exited(run, exit) => {}
            None => self.handle(Input::Exited { run, exit }, batch),
        }
    }
}
