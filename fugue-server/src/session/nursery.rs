//! Programs that are being started: asked for, not yet a pane's.

use std::collections::BTreeMap;

use fugue_core::{ChildSpec, Started, Ticket};
use fugue_keeper::{PaneFds, SpawnStage};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, Refusal, RunId};

use crate::environment::Surroundings;

/// What waits for the keeper.
#[derive(Default)]
pub(crate) struct Nursery {
    births: BTreeMap<Ticket, Birth>,
    /// Runs that live but belong to no pane yet.
    born: BTreeMap<RunId, Newborn>,
}

/// A program that runs, with its terminal.
pub(crate) struct Newborn {
    pub(crate) pid: u32,
    pub(crate) fds: PaneFds,
    /// How it ended, if it did so before it was a pane's.
    pub(crate) exit: Option<ExitStatus>,
}

/// The children of one request.
struct Birth {
    awaited: BTreeMap<RunId, (ChildSpec, String)>,
    started: Vec<Started>,
    failure: Option<Refusal>,
}

/// A request whose children are all told of: all run, or those that do must end.
pub(crate) struct Complete {
    pub(crate) ticket: Ticket,
    pub(crate) outcome: Result<Vec<Started>, Refusal>,
    pub(crate) forget: Vec<RunId>,
}

impl Nursery {
    /// Waits for these children, each in its directory.
    pub(crate) fn expect(&mut self, ticket: Ticket, children: Vec<(ChildSpec, String)>) {
        let awaited = children.into_iter().map(|(child, cwd)| (child.run, (child, cwd))).collect();
        self.births.insert(ticket, Birth { awaited, started: Vec::new(), failure: None });
    }

    /// A program runs.
    pub(crate) fn spawned(
        &mut self,
        run: RunId,
        newborn: Newborn,
        surroundings: &Surroundings,
    ) -> Result<Option<Complete>, Newborn> {
        let Some((ticket, birth)) =
            self.births.iter_mut().find(|(_, birth)| birth.awaited.contains_key(&run))
        else {
            return Err(newborn);
        };
        let Some((child, cwd)) = birth.awaited.remove(&run) else { return Err(newborn) };
        let program = surroundings.program(&child);
        birth.started.push(Started { pane: child.pane, pid: newborn.pid, cwd, program });
        let ticket = *ticket;
        self.born.insert(run, newborn);
        Ok(self.complete(ticket))
    }

    /// A program does not run.
    pub(crate) fn failed(&mut self, run: RunId, stage: SpawnStage, why: &std::io::Error) -> Option<Complete> {
        let (ticket, birth) = self.births.iter_mut().find(|(_, birth)| birth.awaited.contains_key(&run))?;
        let (child, cwd) = birth.awaited.remove(&run)?;
        birth.failure.get_or_insert(refusal(&child, cwd, stage, why));
        let ticket = *ticket;
        self.complete(ticket)
    }

    fn complete(&mut self, ticket: Ticket) -> Option<Complete> {
        if !self.births.get(&ticket)?.awaited.is_empty() {
            return None;
        }
        let birth = self.births.remove(&ticket)?;
        Some(match birth.failure {
            None => Complete { ticket, outcome: Ok(birth.started), forget: Vec::new() },
            Some(refusal) => {
                let pids: Vec<_> = birth.started.iter().map(|child| child.pid).collect();
                let forget: Vec<_> = self
                    .born
                    .iter()
                    .filter(|(_, born)| pids.contains(&born.pid))
                    .map(|(run, _)| *run)
                    .collect();
                forget.iter().for_each(|run| drop(self.born.remove(run)));
                Complete { ticket, outcome: Err(refusal), forget }
            }
        })
    }

    /// Whether a pane's program is being started.
    pub(crate) fn awaits(&self, pane: PaneId) -> bool {
        let awaited =
            self.births.values().flat_map(|birth| birth.awaited.values().map(|(child, _)| child.pane));
        awaited
            .chain(self.births.values().flat_map(|birth| birth.started.iter().map(|child| child.pane)))
            .any(|awaited| awaited == pane)
    }

    /// A program ended before it was a pane's: whether it was one of these.
    pub(crate) fn exited(&mut self, run: RunId, exit: ExitStatus) -> bool {
        let newborn = self.born.get_mut(&run);
        newborn.map(|newborn| newborn.exit = Some(exit)).is_some()
    }

    /// Takes a program out, for its pane or to be ended.
    pub(crate) fn take(&mut self, run: RunId) -> Option<Newborn> {
        self.born.remove(&run)
    }
}

fn refusal(child: &ChildSpec, cwd: String, stage: SpawnStage, why: &std::io::Error) -> Refusal {
    let why = plain(why);
    match stage {
        SpawnStage::Cwd => Refusal::BadDirectory { cwd, why },
        SpawnStage::Exec | SpawnStage::Request | SpawnStage::Limit | SpawnStage::Pty => {
            Refusal::CannotStart { command: child.launch.label(), why }
        }
    }
}

/// The system's words without its number.
fn plain(why: &std::io::Error) -> String {
    let text = why.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
