//! Events of programs: they start or fail to, write output while no daemon reads it, and exit.

use std::time::Instant;

use super::kept_pane::KeptPane;
use super::spawn::{self, SpawnFailure};
use super::termination::Termination;
use crate::keeper::{Keeper, QueuedMessage};
use crate::link::messages::{Message, PaneId};
use crate::log;
use crate::reaper::Reaper;

impl Keeper {
    /// Handles the report of a child that has executed its program or could not.
    pub(crate) fn spawn_reported(&mut self, id: PaneId, now: Instant) {
        let Some(pane) = self.panes.get_mut(&id) else { return };
        let Some(outcome) = pane.report.as_ref().and_then(spawn::outcome) else { return };
        pane.report = None;
        match outcome {
            Ok(()) => self.queue_for_holder(QueuedMessage::Spawned(id)),
            Err(failure) => self.fail_spawn(id, failure, now),
        }
    }

    fn fail_spawn(&mut self, id: PaneId, failure: SpawnFailure, now: Instant) {
        let child = self.panes.remove(&id).map(|pane| pane.child);
        self.terminations.extend(child.map(|child| Termination::await_exit(id, child, false, now)));
        self.spawn_failed(id, failure);
    }

    /// Handles the exit of a program.
    pub(crate) fn program_exited(&mut self, id: PaneId, now: Instant) {
        let Some(pane) = self.panes.get_mut(&id) else { return };
        let Some(exit) = pane.child.reap(now) else { return };
        pane.set_exit(exit);
        if self.held_exits.hold(id) {
            return;
        }
        if self.termination_requested {
            self.held_exits.reported(now);
        }
        self.report_exit(id);
    }

    /// Reports the exit of a program.
    pub(crate) fn report_exit(&mut self, pane: PaneId) {
        let exit = self.panes.get(&pane).and_then(|pane| pane.exit);
        if let Some(exit) = exit {
            self.queue_for_holder(QueuedMessage::Message(Message::Exited { pane, exit }));
        }
    }

    /// Tries again to reap programs that have exited.
    pub(crate) fn retry_reaping(&mut self, now: Instant) {
        let due = |pane: &KeptPane| pane.wake_at().is_some_and(|at| at <= now);
        let due: Vec<PaneId> = self.panes.iter().filter(|(_, pane)| due(pane)).map(|(&id, _)| id).collect();
        if due.iter().any(|id| self.panes[id].child.awaits_reaper(now)) {
            self.reaper.iter().for_each(Reaper::resume);
        }
        due.into_iter().for_each(|id| self.program_exited(id, now));
    }

    /// Moves output of a program. The daemon may have taken the lease since the output was noticed.
    pub(crate) fn pump(&mut self, id: PaneId) {
        if !self.pumps() {
            return;
        }
        let quota = self.config.quota;
        if let Some(Err(error)) = self.panes.get_mut(&id).map(|pane| pane.pump(quota)) {
            log::write(format_args!("Pane {}: output stalled: {error}", log::pane_id(&id)));
        }
    }

    /// Advances the termination of programs, and reports those that have exited.
    pub(crate) fn advance_terminations(&mut self, now: Instant) {
        let mut exits = Vec::new();
        self.terminations.retain_mut(|termination| match termination.advance(now) {
            None => true,
            Some(exit) => {
                exits.extend(
                    termination.report_exit.then_some(Message::Exited { pane: termination.pane, exit }),
                );
                false
            }
        });
        exits.into_iter().for_each(|exited| self.queue_for_holder(QueuedMessage::Message(exited)));
    }
}
