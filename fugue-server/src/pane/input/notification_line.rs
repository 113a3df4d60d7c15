//! The line that notifies an agent of unread messages. It is typed into the agent's pane only while the agent is known to
//! be at rest and its input field is seen to be empty, no person has the keyboard, and nothing that someone typed may
//! still be there unsent.

use std::time::Instant;

use fugue_agents::Composer;
use fugue_core::effect::Notification;
use fugue_screen::ShellState;

use super::keyboard_lock::KeyboardLock;
use crate::pane::current_state::PaneFacts;

/// The notification that is to be typed or was typed last.
#[derive(Debug)]
pub(super) struct NotificationLine {
    wanted: Option<Notification>,
    /// How many turns had begun when someone typed last. Text is a draft until another turn begins: what is typed during
    /// a turn is still there when that turn ends.
    typed_in_turn: Option<u64>,
    /// Whether a person has typed since the agent's input field was last seen to be empty.
    person_typed: bool,
    /// The notification that was typed, until it is seen what became of it.
    typed: Option<Notification>,
}

impl NotificationLine {
    /// In a pane that existed before this daemon someone may have typed.
    pub(crate) fn new(existed_before: bool) -> Self {
        let typed_in_turn = existed_before.then_some(0);
        Self { wanted: None, typed_in_turn, person_typed: existed_before, typed: None }
    }

    /// Sets the notification that is to be typed; `None` withdraws it.
    pub(crate) fn set(&mut self, notice: Option<Notification>) {
        self.wanted = notice;
    }

    /// Takes note that a person typed. Keys that answered a dialog are no draft, unless they are held until a notification
    /// has left the input field; neither is a command that a shell got.
    pub(crate) fn person_typed(&mut self, ends_line: bool, are_held: bool, facts: PaneFacts<'_>) {
        if facts.dialog().is_none() || are_held {
            self.typed_in_turn = draft_turn(ends_line, facts);
            self.person_typed = self.typed_in_turn.is_some();
        }
    }

    /// Takes note that a request typed, as for a person. Its Enter at a shell's prompt submits what a person typed there, too.
    pub(super) fn request_typed(&mut self, ends_line: bool, facts: PaneFacts<'_>) {
        if facts.dialog().is_none() {
            self.typed_in_turn = draft_turn(ends_line, facts);
            self.person_typed &= self.typed_in_turn.is_some();
        }
    }

    /// Takes note that the notification is being typed.
    pub(crate) fn typed(&mut self, notice: Notification) {
        self.typed = Some(notice);
    }

    /// Takes note of what became of the notification. Returns it if the agent took it; otherwise its text may still be in
    /// the input field, so it is not typed again before the next turn.
    pub(super) fn finished(&mut self, was_taken: bool, facts: PaneFacts<'_>) -> Option<Notification> {
        let notice = self.typed.take()?;
        if was_taken {
            return Some(notice);
        }
        self.typed_in_turn = Some(facts.turns);
        self.wanted.get_or_insert(notice);
        None
    }

    /// Returns when to look again though nothing happens: when the keyboard lock ends.
    pub(crate) fn due(&self, lock: &KeyboardLock) -> Option<Instant> {
        lock.until().filter(|until| self.wanted.is_some() && *until > Instant::now())
    }

    /// Returns the notification if it may be typed now.
    pub(super) fn take_if_typable(&mut self, facts: PaneFacts<'_>) -> Option<Notification> {
        let free = self.wanted.is_some()
            && facts.is_surely_at_rest()
            && facts.locked_ms.is_none()
            && !is_draft(self.typed_in_turn, facts)
            && !facts.is_asking()
            && facts.composer() == Composer::Empty;
        self.wanted.take_if(|_| free)
    }

    /// Whether a person's draft is in the agent's input field. It stays there when the agent begins a turn by itself.
    pub(super) fn has_persons_draft(&mut self, facts: PaneFacts<'_>) -> bool {
        match facts.composer() {
            Composer::Holds(_) => self.person_typed,
            // While a person types, the agent may not have read everything.
            Composer::Empty => {
                self.person_typed &= facts.locked_ms.is_some();
                false
            }
            Composer::Unseen => false,
        }
    }
}

/// The turn in which keys are a draft. After Enter at a prompt of the pane's own shell, nothing of the line is left.
fn draft_turn(ends_line: bool, facts: PaneFacts<'_>) -> Option<u64> {
    let is_command = ends_line && matches!(facts.screen.shell_state(), ShellState::Prompt { own: true, .. });
    (!is_command).then_some(facts.turns)
}

fn is_draft(typed_in_turn: Option<u64>, facts: PaneFacts<'_>) -> bool {
    typed_in_turn.is_some_and(|turn| facts.turns <= turn)
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::agents::{AgentState, Confidence};
    use fugue_protocol::{SessionId, Timestamp};
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    const EMPTY: &str = "────────────\r\n❯ \r\n────────────\r\n  ? for shortcuts";
    const DRAFT: &str = "────────────\r\n❯ half a\r\n────────────\r\n";
    const DIALOG: &str = "Do you trust it?\r\n❯ 1. Yes\r\n  2. No\r\n\r\nEnter to confirm";

    fn shown(text: &str) -> Screen {
        let mut screen = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        screen.feed(text.as_bytes());
        screen
    }

    fn facts(screen: &Screen, state: AgentState) -> PaneFacts<'_> {
        let (since, sure) = (Timestamp::from_millis(1), Confidence::Certain);
        let agent = Some(AgentSummary { name: Some("claude"), state, waits_for: None, since, sure });
        PaneFacts { agent, ..PaneFacts::for_test(screen, Instant::now()) }
    }

    fn waiting_line(existed_before: bool) -> NotificationLine {
        let mut line = NotificationLine::new(existed_before);
        let session = SessionId::from_bytes([0; 16]);
        line.set(Some(Notification { session, messages: Vec::new(), text: "news".into() }));
        line
    }

    #[test]
    fn a_notification_is_typed_once_and_only_into_the_empty_field_of_an_agent_that_is_surely_at_rest() {
        use AgentState::{Blocked, Idle, Unknown, WaitingForInput, Working};
        let (empty, mut line) = (shown(EMPTY), waiting_line(false));
        for state in [Working, Blocked, WaitingForInput, Unknown] {
            assert_eq!(line.take_if_typable(facts(&empty, state)), None, "{state:?}");
        }
        let idle = facts(&empty, Idle);
        let guessed = idle.agent.map(|agent| AgentSummary { sure: Confidence::Guess, ..agent });
        assert_eq!(line.take_if_typable(PaneFacts { agent: guessed, ..idle }), None, "it is a guess");
        let unknown = idle.agent.map(|agent| AgentSummary { name: None, ..agent });
        assert_eq!(
            line.take_if_typable(PaneFacts { agent: unknown, ..idle }),
            None,
            "its field is not known"
        );
        assert_eq!(line.take_if_typable(PaneFacts { locked_ms: Some(1), ..idle }), None, "a person types");
        assert_eq!(line.take_if_typable(PaneFacts { is_in_turn: true, ..idle }), None, "a turn has begun");
        for text in [DRAFT, DIALOG, ""] {
            assert_eq!(line.take_if_typable(facts(&shown(text), Idle)), None, "{text}");
        }
        assert!(line.take_if_typable(idle).is_some());
        assert_eq!(line.take_if_typable(idle), None, "it was typed");
    }

    #[test]
    fn what_was_typed_is_a_draft_until_another_turn_begins() {
        let empty = shown(EMPTY);
        let in_turn = |turns| PaneFacts { turns, ..facts(&empty, AgentState::Idle) };
        let mut line = waiting_line(false);
        line.person_typed(true, false, in_turn(3));
        assert_eq!(line.take_if_typable(in_turn(3)), None, "the turn in which it was typed has ended");
        assert!(line.take_if_typable(in_turn(4)).is_some());
        assert_eq!(waiting_line(true).take_if_typable(in_turn(0)), None, "someone may have typed before");
        let (mut line, dialog) = (waiting_line(false), shown(DIALOG));
        line.person_typed(false, false, facts(&dialog, AgentState::Idle));
        line.request_typed(true, facts(&dialog, AgentState::Idle));
        assert!(line.take_if_typable(in_turn(0)).is_some(), "the keys answered a dialog");
    }

    #[test]
    fn a_persons_draft_stays_one_in_the_agents_next_turn_until_the_field_is_seen_to_be_empty() {
        let (empty, draft) = (shown(EMPTY), shown(DRAFT));
        let in_turn = |screen, turns| PaneFacts { turns, ..facts(screen, AgentState::Idle) };
        let mut line = waiting_line(false);
        assert!(!line.has_persons_draft(in_turn(&draft, 0)), "no person has typed");
        line.person_typed(false, false, in_turn(&empty, 0));
        let locked = PaneFacts { locked_ms: Some(1), ..in_turn(&empty, 0) };
        assert!(!line.has_persons_draft(locked));
        assert!(line.has_persons_draft(in_turn(&draft, 1)));
        assert!(!line.has_persons_draft(in_turn(&empty, 1)));
        assert!(!line.has_persons_draft(in_turn(&draft, 1)), "it is another's");
    }

    #[test]
    fn the_command_that_started_the_agent_is_no_draft_and_what_is_typed_after_it_is() {
        let empty = shown(EMPTY);
        let idle = facts(&empty, AgentState::Idle);
        let mut prompt = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        prompt.trust_marks("key");
        prompt.feed(b"\x1b]133;A;k=key.1\x07$ \x1b]133;B;k=key\x07");
        let at_prompt = PaneFacts::for_test(&prompt, Instant::now());
        assert!(matches!(prompt.shell_state(), ShellState::Prompt { own: true, .. }));
        let mut line = waiting_line(true);
        line.person_typed(false, false, at_prompt);
        assert_eq!(line.take_if_typable(idle), None, "it is not sent");
        line.person_typed(true, false, at_prompt);
        line.person_typed(false, false, PaneFacts::for_test(&empty, Instant::now()));
        assert_eq!(line.take_if_typable(idle), None, "it is typed ahead");
        line.request_typed(true, at_prompt);
        assert!(line.take_if_typable(idle).is_some());
    }
}
