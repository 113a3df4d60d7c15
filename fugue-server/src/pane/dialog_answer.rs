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
    /// When the last step was taken.
    looked_at: Instant,
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
            looked_at: now,
        }
    }

    /// Returns when to look again though nothing happens.
    pub(super) fn due(&self) -> Instant {
        let after = if self.entered { SETTLED } else { REDRAW };
        let second = (self.entered && !self.is_repeated).then(|| self.since + SECOND_PRESS);
        // While another choice is selected there is no second press until the screen changes.
        let second = second.filter(|second| *second > self.looked_at);
        let patience = second.unwrap_or(self.since + PATIENCE);
        self.missing_since.map_or(patience, |since| since + after)
    }

    /// Takes the next step. The dialog that another answer waits for ends this one once it is shown.
    fn step(&mut self, next: Option<&Dialog>, facts: PaneFacts<'_>) -> AnswerStep {
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
                AnswerStep::Done(Ok(self.answered(shown.as_ref(), facts)))
            }
            false if is_over || missing >= REDRAW => {
                AnswerStep::Done(Err(Refusal::DialogChanged { pane: facts.pane }))
            }
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

/// The answer that is being given in a pane, and one to the dialog that follows. Others are refused meanwhile.
#[derive(Default)]
pub(super) struct DialogAnswers {
    given: Option<Box<DialogAnswer>>,
    next: Option<Box<DialogAnswer>>,
}

impl DialogAnswers {
    /// Begins to answer, or lets an answer to another dialog wait until the one that is being given is done.
    pub(super) fn begin(&mut self, answer: DialogAnswer, facts: PaneFacts<'_>) {
        let answer = Box::new(answer);
        let refused = match &self.given {
            None => self.given.replace(answer),
            Some(given) if given.request.dialog.is_same(&answer.request.dialog) => Some(answer),
            // The newest dialog is the one that is shown.
            Some(_) => self.next.replace(answer),
        };
        let reply = refused.and_then(|refused| refused.reply);
        reply.into_iter().for_each(|reply| reply.refuse(Refusal::Busy { pane: facts.pane }));
    }

    /// Returns when to look again though nothing happens.
    pub(super) fn due(&self) -> Option<Instant> {
        self.given.as_deref().map(DialogAnswer::due)
    }

    /// Refuses the answers, because the pane is closed.
    pub(super) fn end(&mut self, pane: PaneId, exit: ExitStatus) {
        for answer in [self.given.take(), self.next.take()].into_iter().flatten() {
            answer.reply.into_iter().for_each(|reply| reply.refuse(Refusal::PaneEnded { pane, exit }));
        }
    }

    /// Takes the next step. Returns the bytes of a key to press.
    pub(super) fn advance(&mut self, facts: PaneFacts<'_>) -> Option<Vec<u8>> {
        loop {
            let next = self.next.as_deref().map(|next| &next.request.dialog);
            match self.given.as_mut()?.step(next, facts) {
                AnswerStep::Wait => return None,
                AnswerStep::Press(key) => {
                    return key.parse::<Key>().ok().map(|key| key.encode(facts.screen.modes()));
                }
                AnswerStep::Done(outcome) => self.finish(outcome, facts.now),
            }
        }
    }

    /// Answers who gave the answer that is done. The time of the one that waited begins now.
    fn finish(&mut self, outcome: Result<PermissionAnswered, Refusal>, now: Instant) {
        let next = self.next.take().map(|next| Box::new(DialogAnswer { since: now, ..*next }));
        let done = std::mem::replace(&mut self.given, next);
        match (done.and_then(|done| done.reply), outcome) {
            (Some(reply), Ok(answered)) => reply.done(&answered),
            (Some(reply), Err(refusal)) => reply.refuse(refusal),
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::Timestamp;
    use fugue_protocol::agents::{AgentState, Confidence};
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    fn shown(question: &str, selected: usize) -> Screen {
        let mut screen = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        let mark = |number| if number == selected { "❯" } else { " " };
        let text = format!("{question}\r\n{} 1. Yes\r\n{} 2. No\r\n\r\nEnter to confirm", mark(1), mark(2));
        screen.feed(text.as_bytes());
        screen
    }

    fn facts(screen: &Screen, now: Instant) -> PaneFacts<'_> {
        let agent = AgentSummary {
            name: Some("claude"),
            state: AgentState::Blocked,
            waits_for: None,
            since: Timestamp::from_millis(1),
            sure: Confidence::Certain,
        };
        PaneFacts { agent: Some(agent), ..PaneFacts::for_test(screen, now) }
    }

    /// A rule answers the dialog on this screen with its first choice.
    fn rule_answers(answers: &mut DialogAnswers, facts: PaneFacts<'_>) {
        let dialog = facts.dialog().expect("a dialog");
        let request = Box::new(AnswerRequest { dialog, choice: 1 });
        answers.begin(DialogAnswer::new(request, None, facts.now), facts);
    }

    #[test]
    fn a_rule_answers_a_dialog_that_follows_at_once() {
        let (mut answers, now) = (DialogAnswers::default(), Instant::now());
        let (first, second) = (shown("Do you trust it?", 1), shown("Do you trust the other?", 1));
        rule_answers(&mut answers, facts(&first, now));
        assert_eq!(answers.advance(facts(&first, now)).as_deref(), Some(&b"\r"[..]));
        let later = now + Duration::from_millis(100);
        rule_answers(&mut answers, facts(&second, later));
        assert_eq!(answers.advance(facts(&second, later)).as_deref(), Some(&b"\r"[..]));
        assert_eq!(answers.due(), Some(later + SECOND_PRESS), "it has its own time");
        let empty = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        assert_eq!(answers.advance(facts(&empty, later)), None);
        assert_eq!(answers.advance(facts(&empty, later + SETTLED)), None);
        assert_eq!(answers.due(), None, "both are answered");
    }

    #[test]
    fn a_second_enter_that_another_selection_prevents_is_not_tried_all_the_time() {
        let (mut answers, now) = (DialogAnswers::default(), Instant::now());
        let (before, moved) = (shown("Do you trust it?", 1), shown("Do you trust it?", 2));
        rule_answers(&mut answers, facts(&before, now));
        assert!(answers.advance(facts(&before, now)).is_some());
        assert_eq!(answers.due(), Some(now + SECOND_PRESS));
        assert_eq!(answers.advance(facts(&moved, now + SECOND_PRESS)), None);
        assert_eq!(answers.due(), Some(now + PATIENCE));
    }
}
