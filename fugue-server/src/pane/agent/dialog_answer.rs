//! An answer to an agent's dialog, by a person or by a rule of the user: the selection is moved to the choice, an answer of
//! one's own is typed there, Enter is pressed, and the dialog must go away, or the choice must be checked. Before each key
//! the screen must show the dialog that is meant.

use std::time::{Duration, Instant};

use fugue_agents::{is_empty_field, selection_keys};
use fugue_core::edge_request::AnswerRequest;
use fugue_protocol::dialogs::{Dialog, DialogChoice};
use fugue_protocol::views::{ExitStatus, PermissionAnswered};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::keys::Key;

use crate::pane::current_state::PaneFacts;
use crate::pane::order::RuleOutcome;
use crate::replies::reply::Reply;

/// How long an agent may take to move the selection or to close the dialog. The real programs take a tenth of it.
const PATIENCE: Duration = Duration::from_secs(3);

/// When Enter is pressed a second time, if the dialog is still there: some agents ignore keys right after a dialog opened.
const SECOND_PRESS: Duration = Duration::from_secs(1);

/// How long a field must be open before a text is typed into it: an agent draws it before it reads keys there, and Gemini CLI
/// loses what is typed meanwhile.
const FIELD_READY: Duration = Duration::from_millis(500);

/// How long the dialog may be missing on the screen while the agent redraws it.
const REDRAW: Duration = Duration::from_millis(200);

/// How long the screen must be quiet before the result is reported: the next dialog follows at once.
const SETTLED: Duration = Duration::from_millis(300);

/// An answer that is being given.
pub(crate) struct DialogAnswer {
    request: Box<AnswerRequest>,
    /// Receives the outcome. None once it has been sent.
    answerer: Option<Answerer>,
    /// The choice that was selected when the last key was pressed.
    moved_from: Option<usize>,
    /// How far an answer of one's own is.
    text: TextStage,
    /// Whether the last key was pressed: Enter on the choice, or the key that finishes the dialog.
    entered: bool,
    /// Whether the choice was checked when that was pressed.
    was_checked: Option<bool>,
    /// Whether it was pressed twice.
    is_repeated: bool,
    /// When the last key was pressed.
    since: Instant,
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
    fn tell(self, outcome: Result<PermissionAnswered, Refusal>) {
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
enum AnswerStep {
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
    pub(crate) fn due(&self) -> Instant {
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
    fn came_first(&self) -> Refusal {
        Refusal::AlreadyAnswered { choice: self.choice(), by: self.request.by.clone() }
    }
}

/// Whether two texts have the same words: a long one is wrapped.
fn same_words(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    letters(one) == letters(other)
}

/// The answer that is being given in a pane, and one to the dialog that follows. Others are refused meanwhile.
#[derive(Default)]
pub(crate) struct DialogAnswers {
    given: Option<Box<DialogAnswer>>,
    next: Option<Box<DialogAnswer>>,
    /// The last one that the agent took, for whoever answers the same dialog too late.
    last: Option<Box<DialogAnswer>>,
}

impl DialogAnswers {
    /// Begins to answer, or lets an answer to another dialog wait until the one that is being given is done.
    pub(crate) fn begin(&mut self, answer: DialogAnswer, facts: PaneFacts<'_>) {
        let answer = Box::new(answer);
        if let Some(refusal) = self.objection(&answer, facts) {
            return answer.answerer.into_iter().for_each(|answerer| answerer.tell(Err(refusal.clone())));
        }
        let replaced = match &self.given {
            None => self.given.replace(answer),
            // The newest dialog is the one that is shown.
            Some(_) => self.next.replace(answer),
        };
        let answerer = replaced.and_then(|replaced| replaced.answerer);
        answerer.into_iter().for_each(|one| one.tell(Err(Refusal::DialogChanged { pane: facts.pane })));
    }

    /// Why an answer comes too late: another one to the same dialog is being given, or was taken.
    fn objection(&self, answer: &DialogAnswer, facts: PaneFacts<'_>) -> Option<Refusal> {
        let is_same = |other: &&DialogAnswer| other.request.dialog.is_same(&answer.request.dialog);
        let given = self.given.as_deref().filter(is_same);
        given.or(self.too_late(answer, facts)).map(DialogAnswer::came_first)
    }

    /// The answer that the agent took to a dialog that it shows no more.
    fn too_late(&self, answer: &DialogAnswer, facts: PaneFacts<'_>) -> Option<&DialogAnswer> {
        let is_same = |dialog: &Dialog| dialog.is_same(&answer.request.dialog);
        let last = self.last.as_deref().filter(|last| is_same(&last.request.dialog))?;
        (!facts.dialog().is_some_and(|shown| is_same(&shown))).then_some(last)
    }

    /// Returns when to look again though nothing happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.given.as_deref().map(DialogAnswer::due)
    }

    /// Refuses the answers, because the pane is closed.
    pub(crate) fn end(&mut self, pane: PaneId, exit: ExitStatus) {
        for answer in [self.given.take(), self.next.take()].into_iter().flatten() {
            answer.answerer.into_iter().for_each(|one| one.tell(Err(Refusal::PaneEnded { pane, exit })));
        }
    }

    /// Takes the next step. Returns the bytes of a key to press.
    pub(crate) fn advance(&mut self, facts: PaneFacts<'_>) -> Option<Vec<u8>> {
        loop {
            let next = self.next.as_deref().map(|next| &next.request.dialog);
            match self.given.as_mut()?.step(next, facts) {
                AnswerStep::Wait => return None,
                AnswerStep::Press(key) => {
                    return key.parse::<Key>().ok().map(|key| key.encode(facts.screen.modes()));
                }
                AnswerStep::Type(text) => return Some(text.into_bytes()),
                AnswerStep::Done(outcome) => self.finish(outcome, facts.now),
            }
        }
    }

    /// Whether the key that was pressed last ends the dialog. Others only change it, and the agent may clear the screen to
    /// draw it again.
    pub(crate) fn ends_dialog(&self) -> bool {
        self.given.as_deref().is_some_and(|given| given.entered && given.was_checked.is_none())
    }

    /// Answers who gave the answer that is done. The time of the one that waited begins now.
    fn finish(&mut self, outcome: Result<PermissionAnswered, Refusal>, now: Instant) {
        let next = self.next.take().map(|next| Box::new(DialogAnswer { since: now, ..*next }));
        let Some(mut done) = std::mem::replace(&mut self.given, next) else { return };
        let answerer = done.answerer.take();
        self.last = outcome.as_ref().is_ok_and(|answered| answered.checked.is_none()).then_some(done);
        if let Some(answerer) = answerer {
            answerer.tell(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::Timestamp;
    use fugue_protocol::agents::{AgentState, Confidence};
    use fugue_screen::{Limits, Screen, Size};
    use tokio::sync::oneshot;

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
        answers.begin(answer(facts, 1, None), facts);
    }

    /// An answer to the dialog on this screen.
    fn answer(facts: PaneFacts<'_>, choice: usize, text: Option<&str>) -> DialogAnswer {
        let (dialog, text) = (facts.dialog().expect("a dialog"), text.map(str::to_owned));
        let request = Box::new(AnswerRequest { dialog, choice, text, by: "the user".into() });
        DialogAnswer::new(request, None, facts.now)
    }

    /// A question with boxes, the second one a field with this text.
    fn with_boxes(red: bool, field: &str, selected: usize) -> Screen {
        let mut screen = Screen::new(Size { cols: 40, rows: 12 }, Limits::default());
        let mark = |number| if number == selected { "❯" } else { " " };
        let (check, rule) = (|checked| if checked { "[✔]" } else { "[ ]" }, "─".repeat(40));
        let text = format!(
            "{rule}\r\nWhich?\r\n\r\n{} 1. {} Red\r\n{} 2. {} {field}\r\n{}    Submit\r\n{rule}\r\n{} 3. Chat about this\r\n\r\nEnter to select",
            mark(1),
            check(red),
            mark(2),
            check(!is_empty_field(field)),
            mark(4),
            mark(3),
        );
        screen.feed(text.as_bytes());
        screen
    }

    /// The keys of an answer while the screens follow each other, half a second apart.
    fn keys(answers: &mut DialogAnswers, screens: &[Screen], begun: Instant) -> Vec<String> {
        let press = |(at, screen): (u32, &Screen)| {
            let bytes = answers.advance(facts(screen, begun + at * (SECOND_PRESS / 2)))?;
            Some(String::from_utf8(bytes).expect("text"))
        };
        (0..).zip(screens).filter_map(press).collect()
    }

    #[test]
    fn an_answer_of_ones_own_is_typed_into_the_field_and_submitted_when_all_of_it_is_shown() {
        let now = Instant::now();
        let single = |field: &str, selected: usize| {
            let mut screen = Screen::new(Size { cols: 40, rows: 12 }, Limits::default());
            let mark = |number| if number == selected { "❯" } else { " " };
            let text = format!(
                "Which?\r\n\r\n{} 1. Red\r\n{} 2. {field}\r\n{}\r\n  3. Chat about this\r\n\r\nEnter to select",
                mark(1),
                mark(2),
                "─".repeat(40)
            );
            screen.feed(text.as_bytes());
            screen
        };
        let mut answers = DialogAnswers::default();
        let first = single("Type something.", 1);
        answers.begin(answer(facts(&first, now), 2, Some("like grass")), facts(&first, now));
        let early = single("Type something.", 2);
        assert_eq!(keys(&mut answers, &[first], now), ["\u{1b}[B"]);
        assert_eq!(answers.advance(facts(&early, now + FIELD_READY / 2)), None, "it may not read keys yet");
        assert_eq!(answers.due(), Some(now + FIELD_READY));
        assert!(!answers.ends_dialog(), "the selection has moved");
        let later = [single("Type something.", 2), single("like", 2), single("like grass", 2)];
        assert_eq!(keys(&mut answers, &later, now + FIELD_READY), ["like grass", "\r"]);
        assert!(answers.ends_dialog());
        let mut answers = DialogAnswers::default();
        let filled = single("something else", 2);
        answers.begin(answer(facts(&filled, now), 2, Some("like grass")), facts(&filled, now));
        assert_eq!(keys(&mut answers, &[filled], now), [] as [&str; 0], "a person typed that");
        assert!(answers.given.is_none());
    }

    #[test]
    fn a_box_is_checked_with_one_enter_and_submit_is_below_the_boxes() {
        let now = Instant::now();
        let empty = |red, selected| with_boxes(red, "Type something", selected);
        let begin = |choice, text: Option<&str>, first: &Screen| {
            let mut answers = DialogAnswers::default();
            answers.begin(answer(facts(first, now), choice, text), facts(first, now));
            answers
        };
        let screens = [empty(false, 1), empty(false, 1), empty(false, 1), empty(false, 1)];
        let mut answers = begin(1, None, &screens[0]);
        assert_eq!(keys(&mut answers, &screens, now), ["\r"], "a second one would undo the first");
        assert!(!answers.ends_dialog());
        assert_eq!(keys(&mut answers, &[empty(true, 1)], now), [] as [&str; 0]);
        assert!(answers.given.is_none() && answers.last.is_none(), "it is done, and the dialog is open");
        let screens = [empty(true, 1), empty(true, 2), empty(true, 4)];
        let mut answers = begin(4, None, &screens[0]);
        assert_eq!(keys(&mut answers, &screens, now), ["\u{1b}[B", "\u{1b}[B", "\r"]);
        let screens = [empty(true, 2), empty(true, 2), with_boxes(true, "Green", 2)];
        let mut answers = begin(2, Some("Green"), &screens[0]);
        assert_eq!(keys(&mut answers, &screens, now), ["Green"], "typing checks it");
        assert!(answers.given.is_none());
    }

    #[test]
    fn whoever_answers_a_dialog_second_is_told_what_was_answered_first_and_by_whom() {
        let (mut answers, now) = (DialogAnswers::default(), Instant::now());
        let (open, empty) =
            (shown("Do you trust it?", 1), Screen::new(Size { cols: 40, rows: 8 }, Limits::default()));
        let late = |facts| answer(facts, 2, None);
        let first = Refusal::AlreadyAnswered { choice: "Yes".into(), by: "the user".into() };
        rule_answers(&mut answers, facts(&open, now));
        assert_eq!(answers.objection(&late(facts(&open, now)), facts(&open, now)), Some(first.clone()));
        assert!(answers.advance(facts(&open, now)).is_some());
        answers.advance(facts(&empty, now + REDRAW));
        answers.advance(facts(&empty, now + REDRAW + SETTLED));
        assert!(answers.given.is_none());
        assert_eq!(answers.objection(&late(facts(&open, now)), facts(&empty, now)), Some(first));
        let again = late(facts(&open, now));
        assert_eq!(answers.objection(&again, facts(&open, now)), None, "the same question, asked again");
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
    fn whoever_has_a_rule_is_told_whether_the_agent_took_the_answer() {
        let now = Instant::now();
        let (open, other) = (shown("Do you trust it?", 1), shown("Do you trust the other?", 1));
        let empty = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        let outcome = |after: &Screen| {
            let (rule, mut outcome) = oneshot::channel();
            let request = answer(facts(&open, now), 1, None).request;
            let mut answers = DialogAnswers::default();
            let begun = DialogAnswer::new(request, Some(Answerer::Rule(rule)), now);
            answers.begin(begun, facts(&open, now));
            let screens = if std::ptr::eq(after, &other) { vec![after] } else { vec![&open, after] };
            for screen in screens {
                answers.advance(facts(screen, now));
                answers.advance(facts(screen, now + SETTLED));
            }
            outcome.try_recv().expect("it is told")
        };
        assert_eq!(outcome(&empty), Ok(()));
        assert!(
            matches!(outcome(&other), Err(Refusal::DialogChanged { .. })),
            "the agent asks something else"
        );
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
