//! The machine's waits: looked at when something happened that they are about, when their time is over, and when those
//! who wait can only wait for each other.

use std::collections::BTreeSet;

use fugue_protocol::views::WaitGraph;
use fugue_protocol::{Event, Timestamp};
use serde_json::value::{RawValue, to_raw_value};

use crate::machine::{Machine, Step, Ticket};
use crate::waits::{self, Moment, Why};

impl Machine {
    /// When something is due, if nothing happens before.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let waits = self.waits.values().map(|wait| wait.until).min();
        [waits, self.world.mail.next_expiry(), self.world.leases.next_expiry()].into_iter().flatten().min()
    }

    /// The requests that wait for something to happen.
    pub fn waiting_for_news(&self) -> impl Iterator<Item = Ticket> {
        self.waits.keys().copied()
    }

    /// What a request waits for could not be stored: it waits no longer.
    pub fn forget_wait(&mut self, ticket: Ticket) {
        self.waits.remove(&ticket);
    }

    /// What has run out.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<Event> {
        let messages = self.world.mail.overdue(now);
        let mut events = self.world.leases.overdue(now);
        if !messages.is_empty() {
            events.push(Event::MessagesExpired { messages, expired_at: now });
        }
        events
    }

    /// Who waits for whom, in words.
    pub(crate) fn who_waits(&self) -> Box<RawValue> {
        let graph = WaitGraph { waits: waits::views(&self.world, &self.waits) };
        to_raw_value(&graph).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }

    /// Ends the waits that are over after a step, and those that would never be.
    pub(crate) fn wake(&mut self, now: Timestamp, mut step: Step) -> Step {
        let mut seen = 0;
        loop {
            let fresh = seen..step.events.len();
            seen = step.events.len();
            let begun = std::mem::take(&mut self.newly_waiting);
            // What they wait for may be there already.
            for ticket in self.touched(&step.events[fresh]).into_iter().chain(begun.iter().copied()) {
                self.look(ticket, &Moment { now, why: Why::Changed }, &mut step);
            }
            for ticket in self.out_of_time(now) {
                self.look(ticket, &Moment { now, why: Why::TimeUp }, &mut step);
            }
            // A circle is closed by whoever begins to wait last.
            if !begun.is_empty() {
                self.break_circle(now, &mut step);
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
            |wait: &waits::Wait<Box<RawValue>>| events.iter().any(|event| wait.about.is_touched_by(event));
        self.waits.iter().filter(|(_, wait)| about(wait)).map(|(ticket, _)| *ticket).collect()
    }

    fn out_of_time(&self, now: Timestamp) -> Vec<Ticket> {
        self.waits.iter().filter(|(_, wait)| wait.until <= now).map(|(ticket, _)| *ticket).collect()
    }

    fn look(&mut self, ticket: Ticket, moment: &Moment, step: &mut Step) {
        let Some(wait) = self.waits.remove(&ticket) else { return };
        match (wait.look)(&self.world, moment) {
            Some(decision) => {
                let settled = self.settle(ticket, decision);
                step.events.extend(settled.events);
                step.effects.extend(settled.effects);
                step.answers.extend(settled.answers);
                step.bodies.extend(settled.bodies);
                step.waiting.extend(settled.waiting);
            }
            None => drop(self.waits.insert(ticket, wait)),
        }
    }

    /// Those who wait for each other are told, all of them at once.
    fn break_circle(&mut self, now: Timestamp, step: &mut Step) {
        let stuck = waits::circle(&waits::edges(&self.world, &self.waits));
        if stuck.is_empty() {
            return;
        }
        let sessions: BTreeSet<_> = stuck.iter().filter_map(|ticket| self.waits[ticket].who).collect();
        let names = sessions.iter().filter_map(|id| self.world.sessions.get(id));
        let names: Vec<_> = names.map(|session| session.name.clone()).collect();
        let told = self.happened(vec![Event::WaitedInCircle { sessions: sessions.into_iter().collect() }]);
        step.events.extend(told.events);
        for ticket in stuck {
            self.look(ticket, &Moment { now, why: Why::Circle(names.clone()) }, step);
        }
    }
}
