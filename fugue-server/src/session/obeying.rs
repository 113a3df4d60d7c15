//! What the machine wishes, done: programs started, panes hosted, resized and dropped.

use std::path::PathBuf;

use fugue_core::{ChildSpec, Effect, Input, Ticket};
use fugue_protocol::{PaneId, RunId, Size};

use super::Manager;
use crate::clock;
use crate::environment;
use crate::keeper::Order;
use crate::pane::{self, Pane};

impl Manager {
    /// Does what the machine wishes.
    pub(super) fn obey(&mut self, effect: Effect) {
        match effect {
            Effect::Start { ticket, children } => self.start(ticket, children),
            Effect::Kill { runs } => runs.into_iter().for_each(|run| self.forget(run)),
            Effect::Host { pane, run, size } => self.host(pane, run, size),
            Effect::Resize { pane, size } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.resize(size);
                }
            }
            Effect::ReportExit { pane, exit } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.settle(exit);
                }
            }
            Effect::SetAgent { pane, agent: mood } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.feel(mood);
                }
            }
            Effect::Notify { pane, notification: notice } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.nudge(notice);
                }
            }
            Effect::DropPane { pane } => {
                if let Some(pane) = self.panes.remove(&pane) {
                    self.forget(pane.run);
                }
            }
            Effect::Wake { at } => self.wake = Some(self.wake.map_or(at, |wake| wake.min(at))),
            Effect::Request { ticket, request: ask } => self.ask(ticket, ask),
        }
    }

    fn start(&mut self, ticket: Ticket, children: Vec<ChildSpec>) {
        let placed: Vec<_> = children.into_iter().map(|child| (self.directory(&child), child)).collect();
        let requests: Vec<_> =
            placed.iter().map(|(cwd, child)| self.surroundings.request(child, cwd.clone())).collect();
        let expected = placed.into_iter().map(|(cwd, child)| (child, environment::text(&cwd))).collect();
        self.nursery.expect(ticket, expected);
        for request in requests {
            let run = RunId::from_bytes(request.pane);
            if self.keeper.order(Order::Spawn(Box::new(request))).is_err() {
                let why = std::io::Error::other("the keeper is gone");
                let failed = self.nursery.failed(run, fugue_keeper::SpawnStage::Limit, &why);
                let refused =
                    failed.and_then(|complete| complete.outcome.err().map(|why| (complete.ticket, why)));
                if let Some((ticket, why)) = refused {
                    self.machine.handle(clock::now(), Input::Started { ticket, outcome: Err(why.clone()) });
                    self.answer(ticket, Err(why));
                }
            }
        }
    }

    /// Where a child starts: as asked, else where the pane it comes from is now.
    fn directory(&self, child: &ChildSpec) -> PathBuf {
        let pane = child.comes_from.and_then(|pane| self.panes.get(&pane));
        let began =
            child.comes_from.and_then(|pane| self.machine.world().panes.get(&pane)?.cwd().map(Into::into));
        environment::directory(child.launch.cwd.as_deref(), pane.and_then(Pane::directory).or(began))
    }

    fn host(&mut self, id: PaneId, run: RunId, size: Size) {
        let Some(newborn) = self.nursery.take(run) else { return };
        let former = self.panes.remove(&id);
        if let Some(former) = &former {
            self.forget(former.run);
        }
        let start = pane::Start { id, run, size, pid: newborn.pid, fds: newborn.fds };
        match pane::host(start, former, self.limits(), self.desk.clone(), self.keeper.clone()) {
            Ok(pane) => {
                newborn.exit.into_iter().for_each(|exit| pane.exited(run, exit));
                pane.ground(self.ground_of(id));
                self.panes.insert(id, pane);
            }
            Err(why) => self.warn(format!("pane {id} cannot be shown: {why}")),
        }
    }
}
