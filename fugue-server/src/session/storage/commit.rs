//! Committing a batch: its events are stored; then they are published, requests are answered and effects carried out. A
//! batch that cannot be stored is rolled back, except for the ends of programs: those are shown at once and stored later.

use std::time::Duration;

use fugue_core::{Effect, Input, MachineStep};
use fugue_protocol::{Refusal, RunId};
use tokio::sync::mpsc::error::TrySendError;

use super::batch::{Batch, BatchStep};
use super::message_storage;
use super::unstored_reports;
use crate::clock;
use crate::session::manager::Manager;
use crate::session::manager_inputs::ManagerInput;
use crate::tasks;

/// The delay before a batch that could not be stored is tried again: long enough for someone to free disk space, short
/// enough not to be noticed.
const RETRY_DELAY: Duration = Duration::from_millis(500);

impl Manager {
    /// Stores a batch's events, then publishes them, answers requests and carries out effects.
    pub(crate) async fn commit(&mut self, mut batch: Batch) {
        let events = batch.stored_events();
        let messages = batch.message_changes(self.machine.world());
        if events.is_empty() && !self.store.take_retry() {
            return self.apply(batch);
        }
        match self.store.append(events, messages).await {
            Ok(effects) => {
                self.schedule.resume();
                effects.into_iter().for_each(|effect| self.carry_out(effect));
                self.apply(batch);
                self.store.finish_batch().await;
                self.handle_reports_again();
            }
            Err(why) => self.roll_back(batch, &why),
        }
    }

    fn apply(&mut self, batch: Batch) {
        for BatchStep { at, step, by, pid, .. } in batch.steps {
            for event in step.events {
                self.look_up_after(&event);
                self.unread.update(self.machine.world(), &event);
                self.event_waits.check(self.machine.world(), &event);
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
    pub(crate) fn handle_now(&mut self, input: Input) {
        let now = clock::now();
        for event in self.machine.handle_alone(now, input).events {
            debug_assert!(event.is_fleeting(), "it would have the number of an event that is not stored");
            self.store.publish(now, None, event);
        }
    }

    /// Undoes a batch that could not be stored: the world is as it was before, and requests are refused.
    fn roll_back(&mut self, batch: Batch, why: &str) {
        tracing::error!("Cannot store events in the journal: {why}");
        self.machine.restore(self.store.world().clone());
        self.schedule.back_off(clock::now().after(RETRY_DELAY));
        self.retry_later();
        let (mut facts, mut ended_waits) = (Vec::new(), Vec::new());
        for BatchStep { step, fact, report, .. } in batch.steps {
            hosted(&step).into_iter().for_each(|run| self.forget(run));
            let is_change = !step.events.is_empty() && fact.is_none();
            let report =
                report.filter(|_| is_change).map(|report| unstored_reports::with_closed_panes(report, &step));
            report.into_iter().for_each(|report| self.reports.add(report));
            let effects = self.roll_back_answers(step, is_change, why);
            if let Some(fact) = fact {
                facts.push(fact);
                // The waits that the fact has ended are gone: it is not answered a second time when it is published.
                ended_waits
                    .extend(effects.into_iter().filter(|effect| matches!(effect, Effect::Request { .. })));
            } else if !is_change {
                effects.into_iter().for_each(|effect| self.carry_out(effect));
            }
        }
        facts.into_iter().for_each(|fact| self.publish_fact(fact));
        ended_waits.into_iter().for_each(|effect| self.carry_out(effect));
    }

    /// Handles the reports again whose events could not be stored. Those that the queue has no room for wait for the next
    /// batch that is stored.
    fn handle_reports_again(&mut self) {
        let manager = self.sender();
        for report in self.reports.take() {
            if let Err(TrySendError::Full(ManagerInput::Machine(report))) =
                manager.try_send(ManagerInput::Machine(report))
            {
                self.reports.add(report);
            }
        }
    }

    /// Shows a fact that could not be stored. It is stored with the next batch.
    fn publish_fact(&mut self, fact: Input) {
        let now = clock::now();
        let step = self.machine.handle(now, fact);
        let world = self.machine.world();
        let messages = message_storage::changes(step.events.iter(), Vec::new(), &world.messages);
        for event in &step.events {
            self.unread.update(world, event);
            self.event_waits.check(world, event);
        }
        let effects = self.store.publish_fact(now, step.events, messages, step.effects);
        effects.into_iter().for_each(|effect| self.carry_out(effect));
        step.answers.into_iter().for_each(|(ticket, answer)| self.requests.answer(ticket, answer));
    }

    /// Refuses the requests of a step that changed something and answers the others. Returns the step's effects.
    fn roll_back_answers(&mut self, step: MachineStep, is_change: bool, why: &str) -> Vec<Effect> {
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

    /// Tries to store something after a delay, whether or not anything happens by then.
    fn retry_later(&mut self) {
        if self.store.note_retry() {
            return;
        }
        let manager = self.sender();
        tasks::spawn_local(async move {
            tokio::time::sleep(RETRY_DELAY).await;
            let _ = manager.send(ManagerInput::RetryStorage).await;
        });
    }
}

/// Returns the programs that a step would have hosted.
fn hosted(step: &MachineStep) -> Vec<RunId> {
    let runs = step.effects.iter().filter_map(|effect| match effect {
        Effect::Host { run, .. } => Some(*run),
        _ => None,
    });
    runs.collect()
}
