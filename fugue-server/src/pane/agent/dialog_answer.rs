//! The steps of an answer to an agent's dialog, by a person or by a rule of the user: the selection is moved to the choice, an answer of
//! one's own is typed there, Enter is pressed, and the dialog must go away, or the choice must be checked. Before each key
//! the screen must show the dialog that is meant.

use std::time::{Duration, Instant};

use fugue_agents::{is_empty_field, selection_keys};
use fugue_core::edge_request::AnswerRequest;
use fugue_protocol::Refusal;
use fugue_protocol::dialogs::{Dialog, DialogChoice};
use fugue_protocol::views::PermissionAnswered;

use crate::pane::current_state::PaneFacts;
use crate::pane::order::RuleOutcome;
use crate::replies::reply::Reply;

/// How long an agent may take to move the selection or to close the dialog. The real programs take a tenth of it.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// When Enter is pressed a second time, if the dialog is still there: some agents ignore keys right after a dialog opened.
pub(super) const SECOND_PRESS: Duration = Duration::from_secs(1);

/// How long a field must be open before a text is typed into it: an agent draws it before it reads keys there, and Gemini CLI
/// loses what is typed meanwhile.
pub(super) const FIELD_READY: Duration = Duration::from_millis(500);

/// How long the dialog may be missing on the screen while the agent redraws it.
pub(super) const REDRAW: Duration = Duration::from_millis(200);

/// How long the screen must be quiet before the result is reported: the next dialog follows at once.
pub(super) const SETTLED: Duration = Duration::from_millis(300);

/// An answer that is being given.
pub(crate) struct DialogAnswer {
    pub(super) request: Box<AnswerRequest>,
    /// Receives the outcome. None once it has been sent.
    pub(super) answerer: Option<Answerer>,
    /// The choice that was selected when the last key was pressed.
    moved_from: Option<usize>,
    /// How far an answer of one's own is.
    text: TextStage,
    /// Whether the last key was pressed: Enter on the choice, or the key that finishes the dialog.
    pub(super) entered: bool,
    /// Whether the choice was checked when that was pressed.
    pub(super) was_checked: Option<bool>,
    /// Whether it was pressed twice.
    is_repeated: bool,
    /// When the last key was pressed.
    pub(super) since: Instant,
    /// When the dialog was last missing on the screen.
    missing_since: Option<Instant>,
    /// When the last step was taken.
    looked_at: Instant,
}

/// The source of an answer, which receives its outcome.
pub(crate) enum Answerer {
    /// A caller that waits for the reply.
    Caller(Reply),
    /// A rule of the user.
    Rule(RuleOutcome),
}

impl Answerer {
    pub(super) fn tell(self, outcome: Result<PermissionAnswered, Refusal>) {
        match (self, outcome) {
            (Self::Caller(reply), Ok(answered)) => reply.done(&answered),
            (Self::Caller(reply), Err(refusal)) => reply.refuse(refusal),
            (Self::Rule(rule), outcome) => drop(rule.send(outcome.map(drop))),
        }
    }
}

/// How far an answer of one's own is that is typed into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextStage {
    /// There is nothing to type, or nothing was done yet.
    Before,
    /// Enter was pressed to open the field.
    Opened,
    /// The text was typed.
    Typed,
}

/// What is to be done next.
pub(super) enum AnswerStep {
    Wait,
    Press(&'static str),
    Type(String),
    Done(Result<PermissionAnswered, Refusal>),
}

impl DialogAnswer {
    pub(crate) fn new(request: Box<AnswerRequest>, answerer: Option<Answerer>, now: Instant) -> Self {
        Self {
            request,
            answerer,
            moved_from: None,
            text: TextStage::Before,
            entered: false,
            was_checked: None,
            is_repeated: false,
            since: now,
            missing_since: None,
            looked_at: now,
        }
    }

    /// Returns when to look again though nothing happens.
    pub(super) fn due(&self) -> Instant {
        let after = if self.entered { SETTLED } else { REDRAW };
        let may_repeat = self.entered && !self.is_repeated && self.was_checked.is_none();
        let second = may_repeat.then(|| self.since + SECOND_PRESS);
        // While another choice is selected there is no second press until the screen changes.
        let second = second.filter(|second| *second > self.looked_at);
        let types = self.request.text.is_some() && self.text != TextStage::Typed;
        let ready = types.then(|| self.since + FIELD_READY).filter(|ready| *ready > self.looked_at);
        let patience = second.or(ready).unwrap_or(self.since + PATIENCE);
        self.missing_since.map_or(patience, |since| since + after)
    }

    /// Takes the next step. The dialog that another answer waits for ends this one once it is shown.
    pub(super) fn step(&mut self, next: Option<&Dialog>, facts: PaneFacts<'_>) -> AnswerStep {
        self.looked_at = facts.now;
        let shown = facts.dialog();
        let same = shown.as_ref().filter(|shown| shown.is_same(&self.request.dialog));
        if let Some(dialog) = same {
            self.missing_since = None;
            return if self.entered { self.repeat(dialog, facts) } else { self.approach(dialog, facts) };
        }
        let missing = facts.now.saturating_duration_since(*self.missing_since.get_or_insert(facts.now));
        let is_over = shown.as_ref().zip(next).is_some_and(|(shown, next)| shown.is_same(next));
        match self.entered {
            true if is_over || missing >= SETTLED => {
                AnswerStep::Done(Ok(self.answered(shown.is_some(), None, facts)))
            }
            false if is_over || missing >= REDRAW => {
                AnswerStep::Done(Err(Refusal::DialogChanged { pane: facts.pane }))
            }
            _ => AnswerStep::Wait,
        }
    }

    /// Moves the selection by one, or does what the choice needs.
    fn approach(&mut self, dialog: &Dialog, facts: PaneFacts<'_>) -> AnswerStep {
        let Some(choice) = dialog.choices.get(self.request.choice - 1) else {
            return AnswerStep::Done(Err(Refusal::DialogChanged { pane: facts.pane }));
        };
        let keys = selection_keys(facts.agent.and_then(|agent| agent.name).unwrap_or_default(), dialog);
        if let Some(key) = keys.submit.filter(|_| choice.submits && dialog.choices.len() > 1) {
            return self.finish(choice, key, facts.now);
        }
        let key = match dialog.place(self.request.choice).cmp(&dialog.place(dialog.selected)) {
            std::cmp::Ordering::Equal => return self.choose(choice, facts),
            std::cmp::Ordering::Greater => keys.next,
            std::cmp::Ordering::Less => keys.previous,
        };
        if self.moved_from == Some(dialog.selected) {
            return self.or_timeout(facts);
        }
        (self.moved_from, self.since) = (Some(dialog.selected), facts.now);
        AnswerStep::Press(key)
    }

    /// Presses Enter on the selected choice, after the text was typed into it.
    fn choose(&mut self, choice: &DialogChoice, facts: PaneFacts<'_>) -> AnswerStep {
        let Some(text) = self.request.text.clone() else {
            return self.finish(choice, "Enter", facts.now);
        };
        let is_there = same_words(&choice.label, &text);
        match self.text {
            TextStage::Typed if is_there && choice.checked == Some(true) => {
                AnswerStep::Done(Ok(self.answered(true, choice.checked, facts)))
            }
            TextStage::Typed if is_there => self.finish(choice, "Enter", facts.now),
            TextStage::Typed => self.or_timeout(facts),
            TextStage::Opened if !choice.is_open => self.or_timeout(facts),
            _ if !choice.is_open => {
                (self.text, self.since) = (TextStage::Opened, facts.now);
                AnswerStep::Press("Enter")
            }
            _ if !is_empty_field(&choice.label) => {
                let choice = choice.label.clone();
                AnswerStep::Done(Err(Refusal::AnswerFieldTaken { pane: facts.pane, choice }))
            }
            _ if self.since + FIELD_READY > facts.now => AnswerStep::Wait,
            _ => {
                (self.text, self.since) = (TextStage::Typed, facts.now);
                AnswerStep::Type(text)
            }
        }
    }

    /// Presses the last key.
    fn finish(&mut self, choice: &DialogChoice, key: &'static str, now: Instant) -> AnswerStep {
        (self.entered, self.was_checked, self.since) = (true, choice.checked, now);
        AnswerStep::Press(key)
    }

    /// Presses Enter once more on a dialog that did not react. A choice that can be checked is only looked at: the second
    /// press would undo the first one.
    fn repeat(&mut self, dialog: &Dialog, facts: PaneFacts<'_>) -> AnswerStep {
        if self.was_checked.is_some() {
            let choice = dialog.choices.get(self.request.choice - 1);
            let checked =
                choice.and_then(|choice| choice.checked).filter(|now| Some(*now) != self.was_checked);
            return match checked {
                Some(_) => AnswerStep::Done(Ok(self.answered(true, checked, facts))),
                None => self.or_timeout(facts),
            };
        }
        let is_selected = dialog.selected == self.request.choice;
        if self.is_repeated || self.since + SECOND_PRESS > facts.now || !is_selected {
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

    /// The result of an answer that the agent took: it continues, or asks something else, or the choice is checked.
    fn answered(&self, asks_again: bool, checked: Option<bool>, facts: PaneFacts<'_>) -> PermissionAnswered {
        PermissionAnswered {
            pane_id: facts.pane,
            choice: self.choice(),
            state: facts.agent.map(|agent| agent.state),
            asks_again,
            checked,
        }
    }

    /// The text of the choice, or of the answer that is typed into it.
    fn choice(&self) -> String {
        let choice = self.request.dialog.choices.get(self.request.choice - 1);
        let label = || choice.map(|choice| choice.label.clone()).unwrap_or_default();
        self.request.text.clone().unwrap_or_else(label)
    }

    /// The refusal of another answer to the same dialog.
    pub(super) fn came_first(&self) -> Refusal {
        Refusal::AlreadyAnswered { choice: self.choice(), by: self.request.by.clone() }
    }
}

/// Whether two texts have the same words: a long one is wrapped.
fn same_words(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    letters(one) == letters(other)
}
