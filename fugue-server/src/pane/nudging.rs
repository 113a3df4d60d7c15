//! A line that tells an agent of messages, typed into its pane: only while the agent is at rest, no person has the keyboard,
//! and nothing that anybody typed may still stand there.

use std::time::Instant;

use fugue_core::effect::Notification;
use fugue_protocol::agents::AgentState;
use fugue_screen::Screen;

use super::hold::Hold;
use super::task::Task;
use super::waiting::Sight;
use crate::session::News;

/// What is to be typed, and whether a draft may stand where it would go.
#[derive(Debug)]
pub(super) struct Nudging {
    wanted: Option<Notification>,
    /// Somebody typed since the agent was last seen at work. It may have sent that, or not: only work shows.
    draft: bool,
    /// What was typed and has not been seen to be taken.
    typed: Option<Notification>,
}

impl Nudging {
    /// In a pane that was there before this daemon somebody may have typed.
    pub(super) fn new(was_there: bool) -> Self {
        Self { wanted: None, draft: was_there, typed: None }
    }

    pub(super) fn wish(&mut self, notice: Option<Notification>) {
        self.wanted = notice;
    }

    /// What comes of it is no longer to be told from what comes of the line.
    pub(super) fn somebody_typed(&mut self) {
        self.draft = true;
        self.typed = None;
    }

    /// The line stands there until the agent works, however long that takes.
    fn was_typed(&mut self, notice: Notification) {
        self.draft = true;
        self.typed = Some(notice);
    }

    /// The line that was taken, if the agent has begun to work with it.
    fn taken(&mut self, sight: Sight<'_>) -> Option<Notification> {
        let works = sight.mood.is_some_and(|mood| mood.state == AgentState::Working);
        self.draft &= !works;
        self.typed.take_if(|_| works)
    }

    /// When to look again though nothing happens: a person lets go of the keyboard.
    pub(super) fn due(&self, hold: &Hold) -> Option<Instant> {
        let waits = self.wanted.is_some() && !self.draft;
        hold.until().filter(|until| waits && *until > Instant::now())
    }

    /// The line, if it may be typed now.
    fn take(&mut self, sight: Sight<'_>) -> Option<Notification> {
        let state = sight.mood.map(|mood| mood.state);
        let free = state.is_some_and(AgentState::is_at_rest) && sight.held.is_none() && !self.draft;
        self.wanted.take_if(|_| free)
    }
}

impl Task {
    /// Types the line, if it may be typed now. Until the agent has worked on it, no other is.
    pub(super) fn nudge(&mut self, screen: &Screen, now: Instant) {
        let sight = self.sight(screen, now);
        if let Some(Notification { session, messages, .. }) = self.nudging.taken(sight) {
            // A desk that is full does not hear it: then the messages count as never told, which they may be again.
            let _ = self.desk.try_send(News::Typed { session, messages });
        }
        let Some(notice) = self.nudging.take(sight) else { return };
        match self.input.nudge(&notice.text, sight) {
            true => self.nudging.was_typed(notice),
            false => self.nudging.wish(Some(notice)),
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::{PaneId, SessionId, Timestamp};
    use fugue_screen::{Limits, Size};

    use super::*;

    fn typed(nudging: &mut Nudging, state: AgentState, held: Option<u64>) -> bool {
        let screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        let mood = AgentSummary { state, waits_for: None, since: Timestamp::from_millis(1) };
        let now = Instant::now();
        let pane = PaneId::from_bytes([0; 16]);
        let sight = Sight { pane, screen: &screen, mood: Some(mood), held, written: now, now };
        nudging.taken(sight);
        nudging.take(sight).is_some()
    }

    fn wanted(was_there: bool) -> Nudging {
        let mut nudging = Nudging::new(was_there);
        let session = SessionId::from_bytes([0; 16]);
        nudging.wish(Some(Notification { session, messages: Vec::new(), text: "news".into() }));
        nudging
    }

    #[test]
    fn a_line_is_typed_once_and_only_while_the_agent_is_at_rest_and_nobody_types() {
        use AgentState::{Blocked, Idle, WaitingForInput, Working};
        let mut nudging = wanted(false);
        for state in [Working, Blocked, WaitingForInput] {
            assert!(!typed(&mut nudging, state, None), "{state:?}");
        }
        assert!(!typed(&mut nudging, Idle, Some(1)), "a person has the keyboard");
        assert!(typed(&mut nudging, Idle, None));
        assert!(!typed(&mut nudging, Idle, None), "it was typed");
    }

    #[test]
    fn what_somebody_typed_is_left_alone_until_the_agent_has_worked() {
        for mut nudging in [wanted(true), wanted(false)] {
            nudging.somebody_typed();
            assert!(!typed(&mut nudging, AgentState::Idle, None));
            assert!(!typed(&mut nudging, AgentState::Working, None));
            assert!(typed(&mut nudging, AgentState::Idle, None));
        }
    }
}
