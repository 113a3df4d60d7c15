//! One turn of the manager: what the machine decided, to be stored together, and what then follows.

use fugue_core::{Effect, Input, Step, World};
use fugue_protocol::events::EventRecord;
use fugue_protocol::{Event, Refusal, Timestamp};

use super::{Manager, mailing};
use crate::journal::{Change, Journal};

/// The steps of one turn.
#[derive(Default)]
pub(super) struct Turn {
    steps: Vec<Taken>,
}

struct Taken {
    at: Timestamp,
    step: Step,
    /// The client that asked for it.
    by: Option<u64>,
    /// Something that happened whether or not it can be stored.
    fact: Option<Input>,
}

/// What happened out there cannot be refused: it is told again when it could not be stored.
pub(super) fn fact(input: &Input) -> Option<Input> {
    match input {
        Input::Exited { run, exit } => Some(Input::Exited { run: *run, exit: *exit }),
        _ => None,
    }
}

impl Turn {
    pub(super) fn add(&mut self, at: Timestamp, fact: Option<Input>, step: Step) {
        self.steps.push(Taken { at, step, by: None, fact });
    }

    /// What was added last was asked for by this client.
    pub(super) fn ascribe(&mut self, by: Option<u64>) {
        if let Some(last) = self.steps.last_mut() {
            last.by = by;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    fn kept(&self) -> Vec<(u64, String)> {
        let events =
            self.steps.iter().flat_map(|taken| taken.step.events.iter().map(|event| (taken.at, event)));
        let kept = events.filter(|(_, event)| !event.is_fleeting());
        kept.filter_map(|(at, event)| Some((at.millis(), serde_json::to_string(event).ok()?))).collect()
    }
}

impl Turn {
    /// What the turn changes of messages on the disk.
    fn letters(&mut self, world: &World) -> Vec<Change> {
        let bodies =
            self.steps.iter_mut().flat_map(|taken| std::mem::take(&mut taken.step.payloads)).collect();
        let events = self.steps.iter().flat_map(|taken| &taken.step.events);
        mailing::changes(events, bodies, &world.messages)
    }
}

impl Manager {
    /// Stores a turn's events, then tells, answers and acts.
    pub(super) async fn finish(&mut self, mut turn: Turn) {
        let kept = turn.kept();
        let letters = turn.letters(self.machine.world());
        if kept.is_empty() {
            return self.carry_out(turn, self.last_event);
        }
        let count = kept.len() as u64;
        match self.journal.append(kept, letters).await {
            Ok(last) => {
                self.not_before = None;
                self.carry_out(turn, last - count);
                self.last_event = last;
                if Journal::is_epoch(last, count) {
                    self.journal.remember(&self.settled);
                }
            }
            Err(why) => self.take_back(turn, &why),
        }
    }

    fn carry_out(&mut self, turn: Turn, mut id: u64) {
        for Taken { at, step, by, .. } in turn.steps {
            for event in step.events {
                self.settled.evolve(&event);
                self.look_after(&event);
                self.count_unread(&event);
                self.tell(at, by, event, &mut id);
            }
            step.violation.iter().for_each(|trespass| self.audit.note(at, trespass));
            if let Some((ticket, session)) = step.assumed {
                self.assume(ticket, session);
            }
            step.effects.into_iter().for_each(|effect| self.obey(effect));
            step.answers.into_iter().for_each(|(ticket, answer)| self.answer(ticket, answer));
        }
    }

    fn tell(&self, at: Timestamp, by: Option<u64>, event: Event, id: &mut u64) {
        let number = (!event.is_fleeting()).then(|| {
            *id += 1;
            *id
        });
        self.stream.tell(&EventRecord { id: number, at, by, event });
    }

    /// Takes an input whose events are not kept, in the middle of a turn.
    pub(super) fn happen(&mut self, input: Input) {
        let now = crate::clock::now();
        let mut id = self.last_event;
        for event in self.machine.handle(now, input).events {
            self.settled.evolve(&event);
            self.tell(now, None, event, &mut id);
        }
    }

    /// What could not be stored did not happen: the world is as it was, whoever asked is told so.
    fn take_back(&mut self, turn: Turn, why: &str) {
        tracing::error!("events could not be stored: {why}");
        self.machine.restore(self.settled.clone());
        self.not_before = Some(crate::clock::now().after(super::manager::LATER));
        for Taken { step, fact, .. } in turn.steps {
            let hosted = step.effects.iter().filter_map(|effect| match effect {
                Effect::Host { run, .. } => Some(*run),
                _ => None,
            });
            hosted.collect::<Vec<_>>().into_iter().for_each(|run| self.forget(run));
            let changed = !step.events.is_empty();
            let asked = step.effects.iter().filter_map(|effect| match effect {
                Effect::Request { ticket, .. } if changed => Some(*ticket),
                _ => None,
            });
            for ticket in asked.collect::<Vec<_>>() {
                self.answer(ticket, Err(Refusal::StorageFull { why: why.to_owned() }));
            }
            for (ticket, answer) in step.answers {
                let refused = || Err(Refusal::StorageFull { why: why.to_owned() });
                self.answer(ticket, if changed { refused() } else { answer });
            }
            // Whoever was to be answered later, too.
            for ticket in step.waiting.iter().filter(|_| changed) {
                self.machine.forget_wait(*ticket);
                self.answer(*ticket, Err(Refusal::StorageFull { why: why.to_owned() }));
            }
            for effect in &step.effects {
                if let (true, Effect::Request { ticket, .. }) = (changed, effect) {
                    self.answer(*ticket, Err(Refusal::StorageFull { why: why.to_owned() }));
                }
            }
            if let Some(fact) = fact {
                self.tell_later(fact);
            } else if !changed {
                step.effects.into_iter().for_each(|effect| self.obey(effect));
            }
        }
    }
}
