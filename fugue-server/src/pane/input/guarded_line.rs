//! A line that is typed into an agent's input field on nobody's request. Enter is pressed only when the field is seen to
//! hold this line and nothing else, and a person's keys wait meanwhile, so that the two are never submitted together.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use fugue_protocol::dialogs::Dialog;

use super::field_submit::{FieldStep, FieldSubmit};
use super::input_record::InputRecord;
use super::pty_write_queue::WriteReceipt;
use super::typing_request::TypingRequest;
use crate::pane::current_state::PaneFacts;

/// How long the line may stay in the input field after Enter. A person's keys wait meanwhile, so it is short; agents take
/// a fraction of it.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a dialog has to react to a key. After that, it counts as unchanged, and takes the next one.
const DIALOG_DELAY: Duration = Duration::from_millis(300);

/// A line on its way into an input field.
pub(super) struct GuardedLine {
    pub(super) enter: Vec<u8>,
    pub(crate) record: Option<Rc<InputRecord>>,
    submit: FieldSubmit,
    /// Keys of a person that wait until the line is submitted.
    held: VecDeque<(Vec<u8>, Option<WriteReceipt>)>,
    /// Requests that wait for the same.
    pub(crate) behind: Vec<TypingRequest>,
    /// When a key was last passed to a dialog, and the dialog then.
    passed: Option<(Instant, Dialog)>,
}

impl GuardedLine {
    /// A line whose text was just typed.
    pub(crate) fn new(text: String, enter: Vec<u8>, record: Option<Rc<InputRecord>>, now: Instant) -> Self {
        let (held, behind) = (VecDeque::new(), Vec::new());
        let submit = FieldSubmit::of_line(text, PATIENCE, now);
        Self { enter, record, submit, held, behind, passed: None }
    }

    /// Returns when to look again though nothing happens.
    pub(crate) fn due(&self, last_output: Instant, now: Instant) -> Instant {
        self.submit.due(last_output, now)
    }

    /// Decides what is to be done.
    pub(crate) fn advance(&mut self, facts: PaneFacts<'_>) -> FieldStep {
        self.submit.advance(facts)
    }

    /// The number of bytes that are held.
    pub(super) fn held_bytes(&self) -> usize {
        self.held.iter().map(|(bytes, _)| bytes.len()).sum()
    }

    /// Holds a person's keys until the line is submitted.
    pub(crate) fn hold(&mut self, bytes: &[u8], receipt: Option<WriteReceipt>) {
        self.held.push_back((bytes.to_vec(), receipt));
    }

    /// Whether keys may pass though the line is not submitted: one key for a dialog that has reacted to the one before. If
    /// that one closed the dialog, another would go into the input field.
    pub(super) fn may_pass(&mut self, bytes: &[u8], facts: PaneFacts<'_>) -> bool {
        if !self.submit.is_typed() || !is_one_key(bytes) {
            return false;
        }
        let Some(dialog) = facts.dialog() else { return false };
        let waits = |(at, before): &(Instant, Dialog)| *before == dialog && facts.now < *at + DIALOG_DELAY;
        let passes = !self.passed.as_ref().is_some_and(waits);
        if passes {
            self.passed = Some((facts.now, dialog));
        }
        passes
    }

    /// Takes the keys that were held, in order.
    pub(super) fn take_held(&mut self) -> VecDeque<(Vec<u8>, Option<WriteReceipt>)> {
        std::mem::take(&mut self.held)
    }
}

/// Whether the bytes are those of one key: a character, or one escape sequence.
fn is_one_key(bytes: &[u8]) -> bool {
    let is_sequence = bytes.first() == Some(&0x1b) && bytes.iter().filter(|byte| **byte == 0x1b).count() == 1;
    is_sequence || std::str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1)
}
