//! The machine's pending waits: checked when an event concerns them, at their timeout, and when they form a deadlock.

use std::collections::BTreeSet;

use fugue_protocol::views::WaitGraph;
use fugue_protocol::{Event, Timestamp};
use serde_json::value::{RawValue, to_raw_value};

use crate::decision::{PendingWait, WakeReason, WakeUp};
use crate::effect::Ticket;
use crate::machine::Machine;
use crate::step::MachineStep;
use crate::wait_graph;

impl Machine {
    /// The time at which the machine needs to run next, if no input comes before.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let waits = self.waits.values().map(|wait| wait.until).min();
        let pushes =
            self.world.sessions.values().filter_map(|session| Some(session.push.as_ref()?.until)).min();
        let agents = self.world.panes.values().filter_map(|pane| pane.agent.due(self.agents_judged_at)).min();
        let (messages, leases) = (self.world.messages.next_expiry(), self.world.leases.next_expiry());
        [waits, pushes, agents, messages, leases, self.notes.next()].into_iter().flatten().min()
    }

    /// The requests that wait for an event.
    pub fn pending_waits(&self) -> impl Iterator<Item = Ticket> {
        self.waits.keys().copied()
    }

    /// Drops the wait of a request whose changes could not be stored.
    pub fn forget_wait(&mut self, ticket: Ticket) {
        self.waits.remove(&ticket);
    }

    /// The events of everything that has expired.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<Event> {
        let messages = self.world.messages.overdue(now);
        let mut events = self.world.leases.overdue(now);
        if !messages.is_empty() {
            events.push(Event::MessagesExpired { messages, expired_at: now });
        }
        let pushes =
            self.world.sessions.values().filter_map(|session| Some((session.id, session.push.as_ref()?)));
        let lapsed = pushes.filter(|(_, push)| push.until <= now);
        events.extend(lapsed.map(|(session, _)| Event::PushLapsed { session }));
        events
    }

    /// The reply of `show-waits`.
    pub(crate) fn wait_graph(&self) -> Box<RawValue> {
        let graph = WaitGraph { waits: wait_graph::views(&self.world, &self.waits) };
        to_raw_value(&graph).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }

    /// Completes the waits that are over after a step, and those in a deadlock.
    pub(crate) fn wake(&mut self, now: Timestamp, mut step: MachineStep) -> MachineStep {
        let mut seen = 0;
        loop {
            let fresh = seen..step.events.len();
            seen = step.events.len();
            let begun = std::mem::take(&mut self.newly_waiting);
            // A new wait may already be over.
            for ticket in self.touched(&step.events[fresh]).into_iter().chain(begun.iter().copied()) {
                self.check_wait(ticket, &WakeUp { now, reason: WakeReason::Changed }, &mut step);
            }
            for ticket in self.timed_out(now) {
                self.check_wait(ticket, &WakeUp { now, reason: WakeReason::Timeout }, &mut step);
            }
            // Only a new wait can close a deadlock.
            if !begun.is_empty() {
                self.break_deadlock(now, &mut step);
            }
            if step.events.len() == seen && self.newly_waiting.is_empty() {
                return step;
            }
        }
    }

    fn touched(&self, events: &[Event]) -> Vec<Ticket> {
        if self.waits.is_empty() || events.is_empty() {
            return Vec::new();
        }
        let about =
            |wait: &PendingWait<Box<RawValue>>| events.iter().any(|event| wait.about.is_touched_by(event));
        self.waits.iter().filter(|(_, wait)| about(wait)).map(|(ticket, _)| *ticket).collect()
    }

    fn timed_out(&self, now: Timestamp) -> Vec<Ticket> {
        self.waits.iter().filter(|(_, wait)| wait.until <= now).map(|(ticket, _)| *ticket).collect()
    }

    fn check_wait(&mut self, ticket: Ticket, wake_up: &WakeUp, step: &mut MachineStep) {
        let Some(wait) = self.waits.remove(&ticket) else { return };
        match (wait.check)(&self.world, wake_up) {
            Some(decision) => {
                let settled = self.apply(ticket, decision);
                step.events.extend(settled.events);
                step.effects.extend(settled.effects);
                step.answers.extend(settled.answers);
                step.payloads.extend(settled.payloads);
                step.waiting.extend(settled.waiting);
            }
            None => drop(self.waits.insert(ticket, wait)),
        }
    }

    /// Ends all waits of a deadlock at once, with the names of the sessions in it.
    fn break_deadlock(&mut self, now: Timestamp, step: &mut MachineStep) {
        let stuck = wait_graph::deadlock(&wait_graph::edges(&self.world, &self.waits));
        if stuck.is_empty() {
            return;
        }
        let sessions: BTreeSet<_> = stuck.iter().filter_map(|ticket| self.waits[ticket].who).collect();
        let names = sessions.iter().filter_map(|id| self.world.sessions.get(id));
        let names: Vec<_> = names.map(|session| session.name.clone()).collect();
        let recorded = self.record(vec![Event::WaitedInCircle { sessions: sessions.into_iter().collect() }]);
        step.events.extend(recorded.events);
        for ticket in stuck {
            self.check_wait(ticket, &WakeUp { now, reason: WakeReason::Deadlock(names.clone()) }, step);
        }
    }
}
