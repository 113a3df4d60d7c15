//! The line that notifies an agent of unread messages. It is typed into the agent's pane only while the agent is at rest,
//! no person has the keyboard, and nothing that someone typed may still be there unsent.

use std::time::Instant;

use fugue_core::effect::Notification;
use fugue_protocol::agents::AgentState;

use super::current_state::PaneFacts;
use super::keyboard_lock::KeyboardLock;

/// The notification that is to be typed or was typed last.
#[derive(Debug)]
pub(super) struct NotificationLine {
    wanted: Option<Notification>,
    /// Whether someone typed since the agent was last seen working. Only work shows that the text was sent.
    may_have_draft: bool,
    /// The notification that was typed, until the agent is seen taking it.
    typed: Option<Notification>,
}

impl NotificationLine {
    /// In a pane that existed before this daemon someone may have typed.
    pub(super) fn new(existed_before: bool) -> Self {
        Self { wanted: None, may_have_draft: existed_before, typed: None }
    }

    /// Sets the notification that is to be typed; `None` withdraws it.
    pub(super) fn set(&mut self, notice: Option<Notification>) {
        self.wanted = notice;
    }

    /// Takes note that someone typed: what the agent does next may be due to that and not to the notification.
    pub(super) fn someone_typed(&mut self) {
        self.may_have_draft = true;
        self.typed = None;
    }

    /// Takes note that the notification was typed. It counts as a draft until the agent works.
    pub(super) fn typed(&mut self, notice: Notification) {
        self.may_have_draft = true;
        self.typed = Some(notice);
    }

    /// Returns the notification that was typed, if the agent has begun to work on it.
    pub(super) fn take_acknowledged(&mut self, facts: PaneFacts<'_>) -> Option<Notification> {
        let works = facts.agent.is_some_and(|agent| agent.state == AgentState::Working);
        self.may_have_draft &= !works;
        self.typed.take_if(|_| works)
    }

    /// Returns when to look again though nothing happens: when the keyboard lock ends.
    pub(super) fn due(&self, lock: &KeyboardLock) -> Option<Instant> {
        let waits = self.wanted.is_some() && !self.may_have_draft;
        lock.until().filter(|until| waits && *until > Instant::now())
    }

    /// Returns the notification if it may be typed now.
    pub(super) fn take_if_free(&mut self, facts: PaneFacts<'_>) -> Option<Notification> {
        let at_rest = facts.agent.is_some_and(|agent| agent.state.is_at_rest());
        let free = at_rest && facts.locked_ms.is_none() && !self.may_have_draft;
        self.wanted.take_if(|_| free)
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::{PaneId, SessionId, Timestamp};
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    fn is_typed(line: &mut NotificationLine, state: AgentState, locked_ms: Option<u64>) -> bool {
        let screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        let agent = Some(AgentSummary { state, waits_for: None, since: Timestamp::from_millis(1) });
        let now = Instant::now();
        let pane = PaneId::from_bytes([0; 16]);
        let facts = PaneFacts { pane, screen: &screen, agent, locked_ms, last_output: now, now };
        line.take_acknowledged(facts);
        line.take_if_free(facts).is_some()
    }

    fn waiting_line(existed_before: bool) -> NotificationLine {
        let mut line = NotificationLine::new(existed_before);
        let session = SessionId::from_bytes([0; 16]);
        line.set(Some(Notification { session, messages: Vec::new(), text: "news".into() }));
        line
    }

    #[test]
    fn a_notification_is_typed_once_and_only_while_the_agent_is_at_rest_and_nobody_types() {
        use AgentState::{Blocked, Idle, WaitingForInput, Working};
        let mut line = waiting_line(false);
        for state in [Working, Blocked, WaitingForInput] {
            assert!(!is_typed(&mut line, state, None), "{state:?}");
        }
        assert!(!is_typed(&mut line, Idle, Some(1)), "a person has the keyboard");
        assert!(is_typed(&mut line, Idle, None));
        assert!(!is_typed(&mut line, Idle, None), "it was typed");
    }

    #[test]
    fn a_draft_is_not_disturbed_until_the_agent_has_worked() {
        for mut line in [waiting_line(true), waiting_line(false)] {
            line.someone_typed();
            assert!(!is_typed(&mut line, AgentState::Idle, None));
            assert!(!is_typed(&mut line, AgentState::Working, None));
            assert!(is_typed(&mut line, AgentState::Idle, None));
        }
    }
}
