//! Detects dialogs on the screen of the agent in a pane, and reports each change to the manager.

use std::time::{Duration, Instant};

use fugue_protocol::dialogs::Dialog;

use crate::pane::current_state::PaneFacts;

/// The least time between two looks: a dialog is drawn in several steps, and no person reads faster.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long a dialog that nobody answered may be missing: some agents clear the screen before they draw it again.
const REDRAW: Duration = Duration::from_millis(500);

/// The dialog that was seen last.
#[derive(Debug, Default)]
pub(crate) struct DialogWatch {
    seen: Option<Box<Dialog>>,
    /// When the last look was taken, and the screen's revision and whether the agent drew it then.
    last_look: Option<(Instant, (u64, bool))>,
    /// When the next look is due though nothing happens.
    due: Option<Instant>,
    /// Since when the dialog is missing on the screen.
    missing_since: Option<Instant>,
    /// Whether a key was pressed since the dialog was seen. If it goes away then, it was answered.
    is_key_pressed: bool,
    /// Whether that was the key of somebody who may answer any dialog.
    is_answer_pressed: bool,
    /// Whether such a key was pressed between the last two dialogs that were reported.
    was_answered: bool,
    /// Whether the manager could not be told what was seen last.
    is_untold: bool,
}

impl DialogWatch {
    /// Returns when to look again though nothing happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Takes note that a key was pressed.
    pub(crate) fn key_pressed(&mut self) {
        self.is_key_pressed = true;
    }

    /// Takes note that a person or a rule pressed a key.
    pub(crate) fn answer_pressed(&mut self) {
        (self.is_key_pressed, self.is_answer_pressed) = (true, true);
    }

    /// Whether the dialog before the one that was reported last was answered.
    pub(crate) fn was_answered(&self) -> bool {
        self.was_answered
    }

    /// Looks at the screen, if it changed or a look is due. Returns the dialog if that changed.
    pub(crate) fn look(&mut self, facts: PaneFacts<'_>) -> Option<Option<Dialog>> {
        if facts.agent.is_none() && self.seen.is_none() && !self.is_untold {
            self.due = None;
            return None;
        }
        let revision = (facts.screen.revision(), facts.is_direct);
        let is_due = self.due.is_some_and(|due| due <= facts.now);
        let changed = self.last_look.is_none_or(|(_, last)| last != revision) || facts.agent.is_none();
        if !changed && !is_due {
            return None;
        }
        if let Some((at, _)) = self.last_look.filter(|(at, _)| *at + INTERVAL > facts.now) {
            self.due = Some(at + INTERVAL);
            return None;
        }
        (self.last_look, self.due) = (Some((facts.now, revision)), None);
        self.compare(facts.dialog(), facts.now)
    }

    fn compare(&mut self, dialog: Option<Dialog>, now: Instant) -> Option<Option<Dialog>> {
        if dialog.is_none() && self.seen.is_some() && !self.is_key_pressed {
            let since = *self.missing_since.get_or_insert(now);
            if now < since + REDRAW {
                self.due = Some(since + REDRAW);
                return None;
            }
        }
        self.missing_since = None;
        let is_repeated = std::mem::take(&mut self.is_untold);
        if self.seen.as_deref() == dialog.as_ref() && !is_repeated {
            return None;
        }
        // The key that answers often follows the ones that move the selection before the move is seen. It is the dialog's end
        // that says whether it was answered.
        let is_open =
            self.seen.as_deref().zip(dialog.as_ref()).is_some_and(|(seen, shown)| seen.is_same(shown));
        self.is_key_pressed = false;
        let is_answered = !is_open && std::mem::take(&mut self.is_answer_pressed);
        self.was_answered = is_answered || is_repeated && self.was_answered;
        self.seen = dialog.clone().map(Box::new);
        Some(dialog)
    }

    /// Takes note that the manager was not told, so that the next look tells it, also if the dialog has gone.
    pub(crate) fn not_told(&mut self) {
        self.is_untold = true;
        self.due = self.last_look.map(|(at, _)| at + INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::Timestamp;
    use fugue_protocol::agents::{AgentState, Confidence};
    use fugue_protocol::dialogs::DialogKind;
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    fn trust_dialog() -> Dialog {
        Dialog {
            kind: DialogKind::Startup,
            title: None,
            question: "Do you trust it?".into(),
            detail: Vec::new(),
            command: None,
            choices: Vec::new(),
            selected: 1,
        }
    }

    #[test]
    fn a_pane_whose_agent_has_ended_is_not_looked_at_again() {
        let mut screen = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        let (mut watch, now) = (DialogWatch::default(), Instant::now());
        let known = |state| AgentSummary {
            name: Some("claude"),
            state,
            waits_for: None,
            since: Timestamp::from_millis(1),
            sure: Confidence::Certain,
        };
        let agent = Some(known(AgentState::Working));
        watch.look(PaneFacts { agent, ..PaneFacts::for_test(&screen, now) });
        screen.feed(b"bye");
        watch.look(PaneFacts { agent, ..PaneFacts::for_test(&screen, now) });
        assert_eq!(watch.due(), Some(now + INTERVAL), "its last line is looked at later");
        watch.look(PaneFacts::for_test(&screen, now));
        assert_eq!(watch.due(), None);
    }

    #[test]
    fn the_end_of_a_dialog_that_could_not_be_told_is_told_later_and_so_is_who_answered() {
        let screen = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        let (mut watch, now) = (DialogWatch::default(), Instant::now());
        let facts = |millis| {
            let now = now + Duration::from_millis(millis);
            PaneFacts { now, ..PaneFacts::for_test(&screen, now) }
        };
        watch.compare(Some(trust_dialog()), now);
        watch.answer_pressed();
        assert_eq!(watch.look(facts(0)), Some(None), "it was answered");
        watch.not_told();
        assert_eq!(watch.due(), Some(now + INTERVAL));
        assert_eq!(watch.look(facts(100)), Some(None));
        assert!(watch.was_answered());
        assert_eq!((watch.look(facts(200)), watch.due()), (None, None), "it is told once");
    }

    #[test]
    fn a_dialog_that_ends_after_its_selection_moved_was_answered() {
        let (first, now) = (trust_dialog(), Instant::now());
        let moved = Dialog { selected: 2, ..first.clone() };
        let other = Dialog { question: "Do you trust the other?".into(), ..first.clone() };
        for next in [None, Some(other)] {
            let mut watch = DialogWatch::default();
            watch.compare(Some(first.clone()), now);
            watch.answer_pressed();
            assert_eq!(watch.compare(Some(moved.clone()), now), Some(Some(moved.clone())));
            assert!(!watch.was_answered(), "it is still open");
            watch.compare(next.clone(), now);
            assert_eq!(watch.compare(next.clone(), now + REDRAW), next.is_none().then_some(None));
            assert!(watch.was_answered(), "{next:?} follows");
            watch.compare(Some(first.clone()), now + 2 * REDRAW);
            assert!(!watch.was_answered(), "no key was pressed since");
        }
    }

    #[test]
    fn a_dialog_that_is_drawn_again_stays_and_one_that_was_answered_goes_at_once() {
        let dialog = trust_dialog();
        let (mut watch, now) = (DialogWatch::default(), Instant::now());
        let after = |millis| now + Duration::from_millis(millis);
        assert_eq!(watch.compare(Some(dialog.clone()), now), Some(Some(dialog.clone())));
        assert_eq!(watch.compare(None, after(100)), None, "it may be drawn again");
        assert_eq!(watch.compare(Some(dialog.clone()), after(200)), None);
        assert_eq!(watch.compare(None, after(300)), None);
        assert_eq!(watch.due(), Some(after(800)));
        assert_eq!(watch.compare(None, after(800)), Some(None), "it is gone");
        assert_eq!(watch.compare(Some(dialog.clone()), after(900)), Some(Some(dialog)));
        watch.key_pressed();
        assert_eq!(watch.compare(None, after(1_000)), Some(None), "it was answered");
    }
}
