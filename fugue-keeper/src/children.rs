//! What happens to programs: they start, or not; they write, while no daemon does the reading; they end.

use std::time::Instant;

use crate::ending::Ending;
use crate::keeper::{Keeper, Note};
use crate::log;
use crate::pane::Pane;
use crate::spawn::{self, Failure};
use crate::wire::{Message, PaneId};

impl Keeper {
    /// A child has become its program, or could not.
    pub fn reported(&mut self, id: PaneId, now: Instant) {
        let Some(pane) = self.panes.get_mut(&id) else { return };
        let Some(outcome) = pane.report.as_ref().and_then(spawn::outcome) else { return };
        pane.report = None;
        match outcome {
            Ok(()) => self.tell_of_pane(Note::Spawned(id)),
            Err(failure) => self.stillborn(id, failure, now),
        }
    }

    fn stillborn(&mut self, id: PaneId, failure: Failure, now: Instant) {
        let child = self.panes.remove(&id).map(|pane| pane.child);
        self.endings.extend(child.map(|child| Ending::await_exit(id, child, false, now)));
        self.spawn_failed(id, failure);
    }

    /// A program has ended.
    pub fn exited(&mut self, id: PaneId, now: Instant) {
        let Some(pane) = self.panes.get_mut(&id) else { return };
        let Some(exit) = pane.child.reap(now) else { return };
        pane.ended(exit);
        self.tell_of_pane(Note::Plain(Message::Exited { pane: id, exit }));
    }

    /// Looks at the programs that have ended and could not be collected.
    pub fn look_again(&mut self, now: Instant) {
        let due = |pane: &Pane| pane.wake_at().is_some_and(|at| at <= now);
        let due: Vec<PaneId> = self.panes.iter().filter(|(_, pane)| due(pane)).map(|(&id, _)| id).collect();
        due.into_iter().for_each(|id| self.exited(id, now));
    }

    /// A program has written. The lease may have gone since that was seen.
    pub fn pump(&mut self, id: PaneId) {
        if !self.pumps() {
            return;
        }
        let quota = self.config.quota;
        if let Some(Err(error)) = self.panes.get_mut(&id).map(|pane| pane.pump(quota)) {
            log::say(format_args!("output of {} rests: {error}", log::name(&id)));
        }
    }

    /// Goes on with the programs that are to end.
    pub fn advance_endings(&mut self, now: Instant) {
        let mut over = Vec::new();
        self.endings.retain_mut(|ending| match ending.advance(now) {
            None => true,
            Some(exit) => {
                over.extend(ending.told.then_some(Message::Exited { pane: ending.pane, exit }));
                false
            }
        });
        over.into_iter().for_each(|exited| self.tell_of_pane(Note::Plain(exited)));
    }
}
