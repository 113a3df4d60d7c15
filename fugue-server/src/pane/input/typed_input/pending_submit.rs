//! A text that is being submitted: it is typed, the program gets time to read it, and Enter is pressed. In an agent's input
//! field that is known, what the field shows decides; in any other program, its silence does.

use std::rc::Rc;
use std::time::{Duration, Instant};

use fugue_protocol::views::{InputSent, SubmitEvidence};

use crate::pane::current_state::PaneFacts;
use crate::pane::input::field_submit::{APPEARANCE, FieldStep, FieldSubmit};
use crate::pane::input::input_record::InputRecord;
use crate::pane::input::submit_watch::{SubmitVerdict, SubmitWatch, settled};
use crate::pane::input::typing_request::TypingRequest;
use crate::replies::answer_store::AnswerStore;
use crate::replies::reply::Reply;

/// How long a text may stay in an agent's input field after the first Enter, in which Enter is pressed again. The caller
/// waits meanwhile; clients give up on a call after half a minute at the earliest.
const PATIENCE: Duration = Duration::from_secs(10);

/// A text that is being submitted. Later requests wait behind it.
pub(super) struct PendingSubmit {
    pub(super) stage: SubmitStage,
    pub(super) enter: Vec<u8>,
    /// The end of the text: while it is still at the cursor, the text was not taken.
    pub(super) end: String,
    pub(super) by_agent: bool,
    /// Whether Enter may answer a dialog that opens meanwhile.
    pub(super) may_answer: bool,
    /// Whether an agent reads the terminal. Its state may not be known yet.
    pub(super) has_agent: bool,
    /// What the agent's input field held before, without blanks.
    pub(super) before: String,
    /// Whether a person has typed after the text.
    pub(super) person_typed: bool,
    /// The key under which the caller may repeat the request.
    pub(super) key: Option<String>,
    /// The reply, except for what became of the text.
    pub(super) sent: InputSent,
    /// Nothing if nobody waits, or if the caller has not repeated a request of an earlier daemon yet.
    pub(super) reply: Option<Reply>,
    pub(super) behind: Vec<TypingRequest>,
    /// The record of the input, until everything is done.
    pub(super) record: Option<Rc<InputRecord>>,
}

pub(super) enum SubmitStage {
    /// The text was typed then; Enter is pressed when the screen is quiet.
    Typed(Instant),
    /// An earlier daemon pressed Enter.
    PressedBefore,
    /// Enter was pressed, and the program is watched.
    Pressed(SubmitWatch),
    /// The text was typed into the input field of an agent.
    InField(FieldSubmit),
}

/// What is to be done next.
pub(super) enum SubmitStep {
    Wait,
    PressEnter,
    Done(SubmitVerdict),
}

impl PendingSubmit {
    /// Returns when the next step is due, if the last output came at `last_output`.
    pub(super) fn due(&self, last_output: Instant, now: Instant) -> Instant {
        match &self.stage {
            SubmitStage::Typed(since) => {
                let settled = settled(last_output, *since);
                if settled > now { settled } else { (*since + APPEARANCE).max(now) }
            }
            SubmitStage::PressedBefore => last_output,
            SubmitStage::Pressed(watch) => watch.due(last_output),
            SubmitStage::InField(submit) => submit.due(last_output, now),
        }
    }

    /// Decides what is to be done.
    pub(super) fn step(&mut self, facts: PaneFacts<'_>) -> SubmitStep {
        self.enter_field(facts);
        let is_typed = match &self.stage {
            SubmitStage::Typed(_) => true,
            SubmitStage::InField(submit) => submit.is_typed(),
            SubmitStage::PressedBefore | SubmitStage::Pressed(_) => false,
        };
        let in_field = self.was_seen().is_some();
        // A person has begun to type after it: Enter would submit both.
        let is_locked = !in_field && self.by_agent && facts.locked_ms.is_some();
        if is_typed && (is_locked || self.person_typed && (in_field || self.has_agent)) {
            return SubmitStep::Done(SubmitVerdict::pending(SubmitEvidence::PersonTyped));
        }
        // The agent asks something: Enter would answer that. What was typed into its field is no answer, whoever typed it.
        let asks = facts.asks_person() && !self.may_answer || in_field && facts.is_asking();
        if is_typed && asks {
            return SubmitStep::Done(SubmitVerdict::BLOCKED);
        }
        match &mut self.stage {
            SubmitStage::Typed(since) if settled(facts.last_output, *since) > facts.now => SubmitStep::Wait,
            SubmitStage::Typed(since) if self.has_agent && facts.agent.is_none() => {
                without_agent(*since, facts)
            }
            SubmitStage::Typed(_) => {
                self.stage = SubmitStage::Pressed(SubmitWatch::new(facts));
                SubmitStep::PressEnter
            }
            SubmitStage::PressedBefore => {
                self.stage = SubmitStage::Pressed(SubmitWatch::new(facts));
                SubmitStep::Wait
            }
            SubmitStage::Pressed(watch) => {
                watch.verdict(facts, &self.end).map_or(SubmitStep::Wait, SubmitStep::Done)
            }
            SubmitStage::InField(_) if facts.agent.is_none() => {
                SubmitStep::Done(SubmitVerdict::pending(SubmitEvidence::ProgramEnded))
            }
            SubmitStage::InField(submit) => submit.advance(facts).into(),
        }
    }

    /// Goes by the agent's input field if that is known. A text that was typed into a dialog is not in the field.
    fn enter_field(&mut self, facts: PaneFacts<'_>) {
        let is_known = facts.agent.is_some_and(|agent| agent.name.is_some());
        match &self.stage {
            SubmitStage::Typed(since) if is_known && !facts.is_asking() => {
                let submit = FieldSubmit::of_request(std::mem::take(&mut self.before), PATIENCE, *since);
                self.stage = SubmitStage::InField(submit);
            }
            SubmitStage::PressedBefore if is_known => {
                self.stage = SubmitStage::InField(FieldSubmit::pressed_before(PATIENCE, facts));
            }
            _ => {}
        }
    }

    /// Replies, or stores the reply for a caller that has not repeated its request yet.
    pub(super) fn answer(&mut self, verdict: SubmitVerdict, answers: &AnswerStore) {
        self.settle(verdict);
        match self.reply.take() {
            Some(reply) => reply.done(&self.sent),
            None => self.store_answer(answers),
        }
    }

    fn settle(&mut self, SubmitVerdict { submitted, evidence }: SubmitVerdict) {
        (self.sent.submit, self.sent.evidence) = (Some(submitted), Some(evidence));
    }

    /// A person types after the text. If Enter was not pressed, it will not be, by this daemon or the next.
    pub(super) fn person_types(&mut self, answers: &AnswerStore) {
        self.person_typed = true;
        let is_typed = match &mut self.stage {
            SubmitStage::Typed(_) => self.by_agent || self.has_agent,
            SubmitStage::InField(submit) => {
                submit.person_typed();
                submit.is_typed()
            }
            SubmitStage::PressedBefore | SubmitStage::Pressed(_) => false,
        };
        if is_typed && self.record.is_some() {
            self.settle(SubmitVerdict::pending(SubmitEvidence::PersonTyped));
            self.store_answer(answers);
            self.record = None;
        }
    }

    /// Whether the text was seen in an agent's input field, if it was typed into one.
    pub(super) fn was_seen(&self) -> Option<bool> {
        if let SubmitStage::InField(submit) = &self.stage { Some(submit.was_seen()) } else { None }
    }

    /// The verdict if the program ends now. A program that is no agent has taken what it got Enter for.
    pub(super) fn at_end(&self) -> SubmitVerdict {
        let is_pressed = matches!(self.stage, SubmitStage::PressedBefore | SubmitStage::Pressed(_));
        match is_pressed && !self.has_agent {
            true => SubmitVerdict::taken(SubmitEvidence::ProgramEnded),
            false => SubmitVerdict::pending(SubmitEvidence::ProgramEnded),
        }
    }

    fn store_answer(&self, answers: &AnswerStore) {
        if let (Some(key), Ok(json)) = (&self.key, serde_json::to_string(&self.sent)) {
            answers.put(key, &json);
        }
    }
}

/// What to do with a text that was typed then for an agent of which the manager does not know yet. What it shows may be a
/// dialog.
fn without_agent(since: Instant, facts: PaneFacts<'_>) -> SubmitStep {
    match facts.now < since + APPEARANCE {
        true => SubmitStep::Wait,
        false => SubmitStep::Done(SubmitVerdict::pending(SubmitEvidence::NoReaction)),
    }
}

impl From<FieldStep> for SubmitStep {
    fn from(step: FieldStep) -> Self {
        match step {
            FieldStep::Wait => Self::Wait,
            FieldStep::PressEnter => Self::PressEnter,
            FieldStep::Done { was_taken: true, evidence } => Self::Done(SubmitVerdict::taken(evidence)),
            FieldStep::Done { evidence: SubmitEvidence::DialogOpened, .. } => {
                Self::Done(SubmitVerdict { evidence: SubmitEvidence::DialogOpened, ..SubmitVerdict::BLOCKED })
            }
            FieldStep::Done { evidence, .. } => Self::Done(SubmitVerdict::pending(evidence)),
        }
    }
}
