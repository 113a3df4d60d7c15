//! Committing a batch: its events are stored; then they are published, requests are answered and effects carried out. A
//! batch that cannot be stored is rolled back.

use std::time::Duration;

use fugue_core::{Effect, Input, Step};
use fugue_protocol::{Refusal, RunId};

use super::batch::{Batch, BatchStep};
use super::manager::Manager;
use super::manager_inputs::ManagerInput;
use crate::clock;

/// The delay before a batch that could not be stored is tried again: long enough for someone to free disk space, short
/// enough not to be noticed.
const RETRY_DELAY: Duration = Duration::from_millis(500);

impl Manager {
    /// Stores a batch's events, then publishes them, answers requests and carries out effects.
    pub(super) async fn commit(&mut self, mut batch: Batch) {
        let events = batch.stored_events();
        let messages = batch.message_changes(self.machine.world());
        if events.is_empty() {
            return self.apply(batch);
        }
        match self.store.append(events, messages).await {
            Ok(()) => {
                self.schedule.resume();
                self.apply(batch);
                self.store.finish_batch().await;
            }
            Err(why) => self.roll_back(batch, &why),
        }
    }

    fn apply(&mut self, batch: Batch) {
        for BatchStep { at, step, by, pid, .. } in batch.steps {
            for event in step.events {
                self.look_up_after(&event);
                self.unread.update(self.machine.world(), &event);
                self.store.publish(at, by, event);
            }
            step.audit.iter().for_each(|entry| self.store.audit(at, pid, entry));
            if let Some((ticket, session)) = step.assumed {
                self.requests.assume(ticket, session);
            }
            step.effects.into_iter().for_each(|effect| self.carry_out(effect));
            step.answers.into_iter().for_each(|(ticket, answer)| self.requests.answer(ticket, answer));
        }
    }

    /// Handles an input whose events are not stored, in the middle of a batch.
    pub(super) fn handle_now(&mut self, input: Input) {
        let now = clock::now();
        for event in self.machine.handle(now, input).events {
            self.store.publish(now, None, event);
        }
    }

    /// Undoes a batch that could not be stored: the world is as it was before, and requests are refused.
    fn roll_back(&mut self, batch: Batch, why: &str) {
        tracing::error!("Cannot store events in the journal: {why}");
        self.machine.restore(self.store.world().clone());
        self.schedule.back_off(clock::now().after(RETRY_DELAY));
        for BatchStep { step, fact, .. } in batch.steps {
            hosted(&step).into_iter().for_each(|run| self.forget(run));
            let is_change = !step.events.is_empty();
            let effects = self.roll_back_answers(step, is_change, why);
            if let Some(fact) = fact {
                self.retry_later(fact);
            } else if !is_change {
                effects.into_iter().for_each(|effect| self.carry_out(effect));
            }
        }
    }

    /// Refuses the requests of a step that changed something and answers the others. Returns the step's effects.
    fn roll_back_answers(&mut self, step: Step, is_change: bool, why: &str) -> Vec<Effect> {
        let refused = || Err(Refusal::StorageFull { why: why.to_owned() });
        if is_change {
            for effect in &step.effects {
                if let Effect::Request { ticket, .. } = effect {
                    self.requests.answer(*ticket, refused());
                }
            }
            for ticket in step.waiting {
                self.machine.forget_wait(ticket);
                self.requests.answer(ticket, refused());
            }
        }
        for (ticket, answer) in step.answers {
            self.requests.answer(ticket, if is_change { refused() } else { answer });
        }
        step.effects
    }

    /// Handles a fact that could not be stored again after a delay.
    fn retry_later(&self, fact: Input) {
        let manager = self.sender();
        tokio::task::spawn_local(async move {
            tokio::time::sleep(RETRY_DELAY).await;
            let _ = manager.send(ManagerInput::Machine(fact)).await;
        });
    }
}

/// Returns the programs that a step would have hosted.
fn hosted(step: &Step) -> Vec<RunId> {
    let runs = step.effects.iter().filter_map(|effect| match effect {
        Effect::Host { run, .. } => Some(*run),
        _ => None,
    });
    runs.collect()
}
