//! What the keeper says of the programs it starts and buries.

use std::os::fd::OwnedFd;

use fugue_core::Input;
use fugue_keeper::{Message, PaneFds};
use fugue_protocol::RunId;

use super::Manager;
use super::nursery::{Complete, Newborn};
use super::turn::Turn;
use crate::pane;

impl Manager {
    pub(super) fn keeper_says(&mut self, message: Message, fds: Vec<OwnedFd>, turn: &mut Turn) {
        match message {
            Message::Spawned { pane, pid } => self.spawned(RunId::from_bytes(pane), pid, fds, turn),
            Message::SpawnFailed { pane, stage, errno } => {
                let why = std::io::Error::from_raw_os_error(errno);
                if let Some(complete) = self.nursery.failed(RunId::from_bytes(pane), stage, &why) {
                    self.born(complete, turn);
                }
            }
            Message::Exited { pane, exit } => self.exited(RunId::from_bytes(pane), exit, turn),
            other => tracing::warn!("the keeper said something unexpected: {other:?}"),
        }
    }

    fn spawned(&mut self, run: RunId, pid: i32, fds: Vec<OwnedFd>, turn: &mut Turn) {
        let Ok(fds) = PaneFds::from_message(fds) else { return self.forget(run) };
        match self.nursery.spawned(
            run,
            Newborn { pid: pid.cast_unsigned(), fds, exit: None },
            &self.surroundings,
        ) {
            Ok(Some(complete)) => self.born(complete, turn),
            Ok(None) => {}
            // Asked for by a daemon that died before it could tell anybody.
            Err(_) => self.forget(run),
        }
    }

    fn born(&mut self, complete: Complete, turn: &mut Turn) {
        complete.forget.into_iter().for_each(|run| self.forget(run));
        self.put(Input::Started { ticket: complete.ticket, outcome: complete.outcome }, turn);
    }

    /// A program ended: its pane reads what is left first. Without a pane there is nothing to read.
    fn exited(&mut self, run: RunId, exit: fugue_keeper::Exit, turn: &mut Turn) {
        let exit = pane::exit(exit);
        match self.panes.values().find(|pane| pane.run == run) {
            Some(pane) => pane.exited(run, exit),
            None if self.nursery.exited(run, exit) => {}
            None => self.put(Input::Exited { run, exit }, turn),
        }
    }
}
