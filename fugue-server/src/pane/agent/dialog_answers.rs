//! The answers to an agent's dialogs: one is given at a time, and whoever answers the same dialog too late is told who
//! answered it.

use std::time::Instant;

use fugue_protocol::dialogs::Dialog;
use fugue_protocol::views::{ExitStatus, PermissionAnswered};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::keys::Key;

use super::dialog_answer::{AnswerStep, DialogAnswer};
use crate::pane::current_state::PaneFacts;

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
        let next = self.next.take().map(|mut next| {
            next.since = now;
            next
        });
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
    use std::time::Duration;

    use fugue_agents::is_empty_field;
    use fugue_core::agents::AgentSummary;
    use fugue_core::edge_request::AnswerRequest;
    use fugue_protocol::Timestamp;
    use fugue_protocol::agents::{AgentState, Confidence};
    use fugue_screen::{Limits, Screen, Size};
    use tokio::sync::oneshot;

    use super::super::dialog_answer::{Answerer, FIELD_READY, PATIENCE, REDRAW, SECOND_PRESS, SETTLED};
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
