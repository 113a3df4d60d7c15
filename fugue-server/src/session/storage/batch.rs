//! A batch: the machine's decisions for the inputs of one turn, whose events are stored in one transaction.

use fugue_core::{Input, MachineStep, World};
use fugue_protocol::Timestamp;

use super::message_storage;
use crate::journal::MessageChange;

/// The steps of one turn, in order.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) steps: Vec<BatchStep>,
}

/// One decision of the machine.
pub(crate) struct BatchStep {
    pub(crate) at: Timestamp,
    pub(crate) step: MachineStep,
    /// The client that asked for it.
    pub(crate) by: Option<u64>,
    /// The process of that client.
    pub(crate) pid: Option<u32>,
    /// The input, if it is a fact that remains true even if it cannot be stored.
    pub(crate) fact: Option<Input>,
    /// The input, if it is a report that nobody makes again.
    pub(crate) report: Option<Input>,
}

impl BatchStep {
    pub(crate) fn new(at: Timestamp, step: MachineStep) -> Self {
        Self { at, step, by: None, pid: None, fact: None, report: None }
    }
}

/// Returns a copy of an input that cannot be refused: it is handled again if it could not be stored.
pub(crate) fn irrefusable_copy(input: &Input) -> Option<Input> {
    match input {
        Input::Exited { run, exit } => Some(Input::Exited { run: *run, exit: *exit }),
        _ => None,
    }
}

impl Batch {
    pub(crate) fn push(&mut self, step: BatchStep) {
        self.steps.push(step);
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the events that are to be stored, as time and JSON.
    pub(super) fn stored_events(&self) -> Vec<(u64, String)> {
        let events = self.steps.iter().flat_map(|step| step.step.events.iter().map(|event| (step.at, event)));
        let stored = events.filter(|(_, event)| !event.is_fleeting());
        stored.filter_map(|(at, event)| Some((at.millis(), serde_json::to_string(event).ok()?))).collect()
    }

    /// Returns what the batch changes in the messages on disk. Takes the bodies out of the steps.
    pub(super) fn message_changes(&mut self, world: &World) -> Vec<MessageChange> {
        let bodies = self.steps.iter_mut().flat_map(|step| std::mem::take(&mut step.step.payloads)).collect();
        let events = self.steps.iter().flat_map(|step| &step.step.events);
        message_storage::changes(events, bodies, &world.messages)
    }
}
