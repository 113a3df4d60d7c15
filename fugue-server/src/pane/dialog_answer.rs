//! An answer to an agent's dialog, by a person or by a rule of the user: the selection is moved to the choice, Enter is pressed, and the dialog must go
//! away. Before each key the screen must show the dialog that is meant.

use std::time::{Duration, Instant};

use fugue_core::agents::selection_keys;
use fugue_core::edge_request::AnswerRequest;
use fugue_protocol::dialogs::Dialog;
use fugue_protocol::views::{ExitStatus, PermissionAnswered};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::keys::Key;

use super::current_state::PaneFacts;
use crate::reply::Reply;

/// How long an agent may take to move the selection or to close the dialog. The real programs take a tenth of it.
const PATIENCE: Duration = Duration::from_secs(3);

/// When Enter is pressed a second time, if the dialog is still there: some agents ignore keys right after a dialog opened.
const SECOND_PRESS: Duration = Duration::from_secs(1);

/// How long the dialog may be missing on the screen while the agent redraws it.
const REDRAW: Duration = Duration::from_millis(200);

/// How long the screen must be quiet before the result is reported: the next dialog follows at once.
const SETTLED: Duration = Duration::from_millis(300);

/// An answer that is being given.
pub(super) struct DialogAnswer {
    request: Box<AnswerRequest>,
    /// None if a rule answers.
    reply: Option<Reply>,
    /// The choice that was selected when the last key was pressed.
    moved_from: Option<usize>,
    /// Whether Enter was pressed.
    entered: bool,
    /// Whether it was pressed twice.
    is_repeated: bool,
    /// When the last key was pressed.
    since: Instant,
    /// When the dialog was last missing on the screen.
    missing_since: Option<Instant>,
}

/// What is to be done next.
enum AnswerStep {
    Wait,
    Press(&'static str),
    Done(Result<PermissionAnswered, Refusal>),
}

impl DialogAnswer {
    pub(super) fn new(request: Box<AnswerRequest>, reply: Option<Reply>, now: Instant) -> Self {
        Self {
            request,
            reply,
            moved_from: None,
            entered: false,
            is_repeated: false,
            since: now,
            missing_since: None,
        }
    }

    /// Returns when to look again though nothing happens.
    pub(super) fn due(&self) -> Instant {
        let after = if self.entered { SETTLED } else { REDRAW };
        let repeats = self.entered && !self.is_repeated;
        let patience = if repeats { SECOND_PRESS } else { PATIENCE };
        self.missing_since.map_or(self.since + patience, |since| since + after)
    }

    fn step(&mut self, facts: PaneFacts<'_>) -> AnswerStep {
        let shown = facts.dialog();
        let same = shown.as_ref().filter(|shown| shown.is_same(&self.request.dialog));
        if let Some(dialog) = same {
            self.missing_since = None;
            return if self.entered { self.repeat(dialog, facts) } else { self.approach(dialog, facts) };
        }
        let missing = facts.now.saturating_duration_since(*self.missing_since.get_or_insert(facts.now));
        match self.entered {
            true if missing >= SETTLED => AnswerStep::Done(Ok(self.answered(shown.as_ref(), facts))),
            false if missing >= REDRAW => AnswerStep::Done(Err(Refusal::DialogChanged { pane: facts.pane })),
            _ => AnswerStep::Wait,
        }
    }

    /// Moves the selection by one, or presses Enter on the choice.
    fn approach(&mut self, dialog: &Dialog, facts: PaneFacts<'_>) -> AnswerStep {
        if self.moved_from == Some(dialog.selected) {
            return self.or_timeout(facts);
        }
        let keys = selection_keys(facts.agent.and_then(|agent| agent.name).unwrap_or_default(), dialog);
        let key = match self.request.choice.cmp(&dialog.selected) {
            std::cmp::Ordering::Greater => keys.next,
            std::cmp::Ordering::Less => keys.previous,
            std::cmp::Ordering::Equal => "Enter",
        };
        self.entered = key == "Enter";
        (self.moved_from, self.since) = (Some(dialog.selected), facts.now);
        AnswerStep::Press(key)
    }

    /// Presses Enter once more on a dialog that did not react.
    fn repeat(&mut self, dialog: &Dialog, facts: PaneFacts<'_>) -> AnswerStep {
        let is_due = self.since + SECOND_PRESS <= facts.now && dialog.selected == self.request.choice;
        if self.is_repeated || !is_due {
            return self.or_timeout(facts);
        }
        self.is_repeated = true;
        AnswerStep::Press("Enter")
    }

    fn or_timeout(&self, facts: PaneFacts<'_>) -> AnswerStep {
        match self.since + PATIENCE <= facts.now {
            true => AnswerStep::Done(Err(Refusal::AnswerNotTaken { pane: facts.pane })),
            false => AnswerStep::Wait,
        }
    }

    /// The result of an answer that the agent took: it continues, or asks something else.
    fn answered(&self, shown: Option<&Dialog>, facts: PaneFacts<'_>) -> PermissionAnswered {
        let label = |at: usize| self.request.dialog.choices.get(at).map(|choice| choice.label.clone());
        PermissionAnswered {
            pane_id: facts.pane,
            choice: label(self.request.choice - 1).unwrap_or_default(),
            state: facts.agent.map(|agent| agent.state),
            asks_again: shown.is_some(),
        }
    }
}

/// The answer that is being given in a pane; others are refused meanwhile.
#[derive(Default)]
pub(super) struct DialogAnswers(Option<Box<DialogAnswer>>);

impl DialogAnswers {
    /// Begins to answer, unless another answer is being given.
    pub(super) fn begin(&mut self, answer: DialogAnswer, facts: PaneFacts<'_>) {
        match self.0 {
            Some(_) => {
                answer.reply.into_iter().for_each(|reply| reply.refuse(Refusal::Busy { pane: facts.pane }));
            }
            None => self.0 = Some(Box::new(answer)),
        }
    }

    /// Returns when to look again though nothing happens.
    pub(super) fn due(&self) -> Option<Instant> {
        self.0.as_deref().map(DialogAnswer::due)
    }

    /// Refuses the answer that is being given, because the pane is closed.
    pub(super) fn end(&mut self, pane: PaneId, exit: ExitStatus) {
        let reply = self.0.take().and_then(|answer| answer.reply);
        reply.into_iter().for_each(|reply| reply.refuse(Refusal::PaneEnded { pane, exit }));
    }

    /// Takes the next step. Returns the bytes of a key to press.
    pub(super) fn advance(&mut self, facts: PaneFacts<'_>) -> Option<Vec<u8>> {
        match self.0.as_mut()?.step(facts) {
            AnswerStep::Wait => None,
            AnswerStep::Press(key) => key.parse::<Key>().ok().map(|key| key.encode(facts.screen.modes())),
            AnswerStep::Done(outcome) => {
                match (self.0.take()?.reply?, outcome) {
                    (reply, Ok(answered)) => reply.done(&answered),
                    (reply, Err(refusal)) => reply.refuse(refusal),
                }
                None
            }
        }
    }
}
