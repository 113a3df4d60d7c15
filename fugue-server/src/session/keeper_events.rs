//! Messages from the keeper about the programs it starts and reaps.

use std::os::fd::OwnedFd;

use fugue_core::Input;
use fugue_keeper::{Message, PaneFds};
use fugue_protocol::RunId;

use super::batch::Batch;
use super::manager::Manager;
use super::pending_spawns::{SpawnOutcome, SpawnedProgram};
use crate::keeper_link::KeeperMessage;
use crate::pane;

impl Manager {
    pub(super) fn keeper_message(&mut self, (message, fds): KeeperMessage, batch: &mut Batch) {
        match message {
            Message::Spawned { pane, pid } => self.spawned(RunId::from_bytes(pane), pid, fds, batch),
            Message::SpawnFailed { pane, stage, errno } => {
                let why = std::io::Error::from_raw_os_error(errno);
                if let Some(outcome) = self.spawns.failed(RunId::from_bytes(pane), stage, &why) {
                    self.started(outcome, batch);
                }
            }
            Message::Exited { pane, exit } => self.exited(RunId::from_bytes(pane), exit, batch),
            other => tracing::warn!("Ignored an unexpected message from the keeper: {other:?}"),
        }
    }

    fn spawned(&mut self, run: RunId, pid: i32, fds: Vec<OwnedFd>, batch: &mut Batch) {
        let Ok(fds) = PaneFds::from_message(fds) else { return self.forget(run) };
        let program = SpawnedProgram { pid: pid.cast_unsigned(), fds, exit: None };
        match self.spawns.spawned(run, program, &self.host.environment) {
            Ok(Some(outcome)) => self.started(outcome, batch),
            Ok(None) => {}
            // It was requested by a daemon that died before it could store the request.
            Err(_) => self.forget(run),
        }
    }

    fn started(&mut self, outcome: SpawnOutcome, batch: &mut Batch) {
        outcome.kill.into_iter().for_each(|run| self.forget(run));
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
