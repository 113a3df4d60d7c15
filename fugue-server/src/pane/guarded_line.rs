//! A line that is typed into an agent's input field on nobody's request. Enter is pressed only when the field is seen to
//! hold this line and nothing else, and a person's keys wait meanwhile, so that the two are never submitted together.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use fugue_core::agents::Composer;
use fugue_protocol::dialogs::Dialog;

use super::current_state::PaneFacts;
use super::input_record::InputRecord;
use super::pty_write_queue::WriteReceipt;
use super::submit_watch::settled;
use super::typing_request::TypingRequest;

/// How long the line may take to appear in the input field, and to leave it after Enter. Agents take a fraction of it.
const PATIENCE: Duration = Duration::from_secs(3);

/// When Enter is pressed a second time, if the line is still there: measured with the real programs.
const SECOND_PRESS: Duration = Duration::from_secs(1);

/// How long a dialog has to react to a key. After that, it counts as unchanged, and takes the next one.
const DIALOG_DELAY: Duration = Duration::from_millis(300);

/// A line on its way into an input field.
pub(super) struct GuardedLine {
    pub(super) text: String,
    pub(super) enter: Vec<u8>,
    pub(super) record: Option<Rc<InputRecord>>,
    stage: LineStage,
    /// Keys of a person that wait until the line is submitted.
    held: VecDeque<(Vec<u8>, Option<WriteReceipt>)>,
    /// Requests that wait for the same.
    pub(super) behind: Vec<TypingRequest>,
    /// When a key was last passed to a dialog, and the dialog then.
    passed: Option<(Instant, Dialog)>,
}

enum LineStage {
    Typed(Instant),
    Pressed { at: Instant, presses: u32, turns: u64 },
}

/// What is to be done next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineStep {
    Wait,
    PressEnter,
    /// The line is done; whether the agent took it.
    Done(bool),
}

impl GuardedLine {
    /// A line whose text was just typed.
    pub(super) fn new(text: String, enter: Vec<u8>, record: Option<Rc<InputRecord>>, now: Instant) -> Self {
        let (held, behind) = (VecDeque::new(), Vec::new());
        Self { text, enter, record, stage: LineStage::Typed(now), held, behind, passed: None }
    }

    /// Returns when to look again though nothing happens.
    pub(super) fn due(&self, last_output: Instant, now: Instant) -> Instant {
        let next = match self.stage {
            LineStage::Typed(since) => [settled(last_output, since), since + PATIENCE],
            LineStage::Pressed { at, .. } => [at + SECOND_PRESS, at + PATIENCE],
        };
        let later = next.into_iter().filter(|due| *due > now).min();
        // While a dialog covers the line there is nothing to do until the screen changes.
        later.unwrap_or(now + PATIENCE)
    }

    /// Decides what is to be done.
    pub(super) fn advance(&mut self, facts: PaneFacts<'_>) -> LineStep {
        match self.stage {
            LineStage::Typed(since) if settled(facts.last_output, since) > facts.now => LineStep::Wait,
            LineStage::Typed(since) => self.press_if_seen(since, facts),
            LineStage::Pressed { at, presses, turns } => self.watch(at, presses, turns, facts),
        }
    }

    fn press_if_seen(&mut self, since: Instant, facts: PaneFacts<'_>) -> LineStep {
        if facts.is_asking() {
            // The field is drawn again when the dialog is gone.
            self.stage = LineStage::Typed(facts.now);
            return LineStep::Wait;
        }
        if self.is_in(&facts.composer()) {
            self.stage = LineStage::Pressed { at: facts.now, presses: 1, turns: facts.turns };
            return LineStep::PressEnter;
        }
        if since + PATIENCE <= facts.now { LineStep::Done(false) } else { LineStep::Wait }
    }

    fn watch(&mut self, at: Instant, presses: u32, turns: u64, facts: PaneFacts<'_>) -> LineStep {
        let (composer, is_dialog) = (facts.composer(), facts.is_asking());
        let is_there = !is_dialog && self.is_in(&composer);
        let has_left = !is_dialog && !is_there && composer != Composer::Unseen;
        if facts.turns > turns || has_left {
            return LineStep::Done(true);
        }
        if at + PATIENCE <= facts.now {
            return LineStep::Done(false);
        }
        if is_there && presses == 1 && at + SECOND_PRESS <= facts.now {
            self.stage = LineStage::Pressed { at, presses: 2, turns };
            return LineStep::PressEnter;
        }
        LineStep::Wait
    }

    /// Whether the input field holds this line and nothing else. Fields wrap at any blank, so blanks do not count.
    fn is_in(&self, composer: &Composer) -> bool {
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        matches!(composer, Composer::Holds(text) if dense(text) == dense(&self.text))
    }

    /// The number of bytes that are held.
    pub(super) fn held_bytes(&self) -> usize {
        self.held.iter().map(|(bytes, _)| bytes.len()).sum()
    }

    /// Holds a person's keys until the line is submitted.
    pub(super) fn hold(&mut self, bytes: &[u8], receipt: Option<WriteReceipt>) {
        self.held.push_back((bytes.to_vec(), receipt));
    }

    /// Whether keys may pass though the line is not submitted: one key for a dialog that has reacted to the one before. If
    /// that one closed the dialog, another would go into the input field.
    pub(super) fn may_pass(&mut self, bytes: &[u8], facts: PaneFacts<'_>) -> bool {
        if !matches!(self.stage, LineStage::Typed(_)) || !is_one_key(bytes) {
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
