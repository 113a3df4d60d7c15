//! The steps of the tutor, and when each is done: decided from the daemon's events and from what the session then is.

use fugue_protocol::PaneId;
use fugue_protocol::events::Event;
use fugue_protocol::views::SessionView;

/// A step.
pub(super) struct LessonStep {
    /// What it teaches.
    pub(super) title: &'static str,
    /// What to do. A command in braces is replaced by its key.
    pub(super) text: &'static str,
    /// Whether the played agent runs during it.
    pub(super) needs_agent: bool,
    /// Whether it is done.
    is_done: fn(&Sights) -> bool,
}

/// All of them, in order. The last one is only read.
pub(super) const STEPS: [LessonStep; 7] = [
    LessonStep {
        title: "Split",
        text: "A pane runs a program; the one below runs your shell. Press {create-pane --right} to open another one beside \
               it: hold Control and press b, let go of both, then press the other key.",
        needs_agent: false,
        is_done: |sights| sights.now.panes > sights.before.panes,
    },
    LessonStep {
        title: "Move",
        text: "Keys go to the pane with the bright border. Press {focus-pane --left --wrap}, or another arrow key in its \
               place, to move to another pane. A click does the same.",
        needs_agent: false,
        is_done: |sights| sights.now.active != sights.before.active,
    },
    LessonStep {
        title: "Copy",
        text: "Press {copy-mode} to scroll back and copy: move to some text with the arrow keys, press Space where it \
               begins and Enter where it ends. Or drag with the mouse. {paste-buffer} pastes it.",
        needs_agent: false,
        is_done: |sights| sights.copied,
    },
    LessonStep {
        title: "Detach and come back",
        text: "Programs keep running when you leave. Press {detach} to detach, then run `fugue tutor` to come back. The same \
               works after closing the terminal, and from another one.",
        needs_agent: false,
        is_done: |sights| sights.came_back,
    },
    LessonStep {
        title: "An agent",
        text: "An agent works in a window of its own (the tutor plays it). The status line shows when it needs you. Then \
               press {next-agent} to go to it, and {go-back} to come back here.",
        needs_agent: true,
        is_done: |sights| sights.visited_agent && sights.now.active != sights.agent,
    },
    LessonStep {
        title: "Answer an agent",
        text: "You need not go to each agent. Press {agents} to list all of them with what they ask, and press 1 to answer \
               Yes, or Enter on a choice. Esc closes the list.",
        needs_agent: true,
        is_done: |sights| sights.agent_ended,
    },
    LessonStep {
        title: "That is all",
        text: "{help} lists all keys, {palette} finds commands, and `fugue help` explains the rest. `fugue setup` connects \
               your agents to fugue. Press {detach} to leave.",
        needs_agent: false,
        is_done: |sights| sights.left,
    },
];

/// What the session looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SeenSession {
    pub(super) panes: usize,
    pub(super) active: Option<PaneId>,
}

impl SeenSession {
    pub(super) fn of(session: &SessionView) -> Self {
        let panes = session.windows.iter().map(|window| window.panes.len()).sum();
        let window = session.windows.iter().find(|window| window.active);
        let active = window.and_then(|window| window.panes.iter().find(|pane| pane.active));
        Self { panes, active: active.map(|pane| pane.pane_id) }
    }
}

/// What was seen since a step began.
#[derive(Debug, Clone, Default)]
struct Sights {
    before: SeenSession,
    now: SeenSession,
    agent: Option<PaneId>,
    copied: bool,
    left: bool,
    came_back: bool,
    visited_agent: bool,
    agent_ended: bool,
}

/// Where a person is in the tutor.
#[derive(Debug)]
pub(super) struct Lesson {
    at: usize,
    sights: Sights,
}

impl Lesson {
    /// A lesson that begins with this step.
    pub(super) fn at(step: usize, look: SeenSession) -> Self {
        let at = step.min(STEPS.len() - 1);
        Self { at, sights: Sights { before: look, now: look, ..Sights::default() } }
    }

    /// The number of the step, counted from 0.
    pub(super) fn number(&self) -> usize {
        self.at
    }

    pub(super) fn step(&self) -> &'static LessonStep {
        &STEPS[self.at]
    }

    /// Whether all steps are done.
    pub(super) fn is_over(&self) -> bool {
        self.at + 1 == STEPS.len() && (self.step().is_done)(&self.sights)
    }

    /// Takes note of the pane in which the played agent now runs.
    pub(super) fn agent_runs_in(&mut self, pane: PaneId) {
        self.sights.agent = Some(pane);
        self.sights.agent_ended = false;
    }

    /// The pane of the played agent, until it ends.
    pub(super) fn agent(&self) -> Option<PaneId> {
        self.sights.agent.filter(|_| !self.sights.agent_ended)
    }

    /// Takes note of an event and of what the session is after it. Returns whether another step begins.
    pub(super) fn see(&mut self, event: Option<&Event>, look: SeenSession) -> bool {
        let sights = &mut self.sights;
        sights.now = look;
        match event {
            Some(Event::BufferStored { .. }) => sights.copied = true,
            Some(Event::ClientLeft { .. }) => sights.left = true,
            Some(Event::ClientAttached(_)) => sights.came_back |= sights.left,
            Some(Event::PaneClosed { pane } | Event::PaneEnded { pane, .. })
                if sights.agent == Some(*pane) =>
            {
                sights.agent_ended = true;
                // Whoever has answered it in its pane has been there, too.
                sights.visited_agent = true;
            }
            _ => {}
        }
        sights.visited_agent |= sights.agent.is_some() && look.active == sights.agent;
        let is_done = (self.step().is_done)(&self.sights) && self.at + 1 < STEPS.len();
        if is_done {
            self.go_to(self.at + 1);
        }
        is_done
    }

    /// Goes to the next step, whether or not this one is done.
    pub(super) fn skip(&mut self) {
        self.go_to((self.at + 1).min(STEPS.len() - 1));
    }

    /// Goes to the step before.
    pub(super) fn back(&mut self) {
        self.go_to(self.at.saturating_sub(1));
    }

    fn go_to(&mut self, step: usize) {
        let (look, agent) = (self.sights.now, self.agent());
        *self = Self::at(step, look);
        self.sights.agent = agent;
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::events::ClientAttached;
    use fugue_protocol::{SessionId, Size, Timestamp};

    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    fn look(panes: usize, active: u8) -> SeenSession {
        SeenSession { panes, active: Some(pane(active)) }
    }

    fn attached(client: u64) -> Event {
        Event::ClientAttached(ClientAttached {
            client,
            session: SessionId::from_bytes([9; 16]),
            size: Size { cols: 80, rows: 24 },
            since: Timestamp::from_millis(0),
            read_only: false,
            tty: None,
        })
    }

    #[test]
    fn a_step_is_done_when_it_is_seen_and_not_before() {
        let mut lesson = Lesson::at(0, look(2, 2));
        assert!(!lesson.see(None, look(2, 1)), "moving is not splitting");
        assert!(lesson.see(None, look(3, 3)));
        assert_eq!(lesson.step().title, "Move");
        assert!(!lesson.see(None, look(3, 3)), "nobody has moved since");
        assert!(lesson.see(None, look(3, 1)));
        assert_eq!(lesson.step().title, "Copy");
    }

    #[test]
    fn coming_back_needs_leaving_first() {
        let mut lesson = Lesson::at(3, look(2, 2));
        assert!(!lesson.see(Some(&attached(2)), look(2, 2)), "a second terminal");
        assert!(!lesson.see(Some(&Event::ClientLeft { client: 1 }), look(2, 2)));
        assert!(lesson.see(Some(&attached(3)), look(2, 2)));
        assert_eq!(lesson.step().title, "An agent");
    }

    #[test]
    fn an_agent_is_visited_and_then_answered() {
        let mut lesson = Lesson::at(4, look(3, 2));
        lesson.agent_runs_in(pane(7));
        assert!(!lesson.see(None, look(4, 2)), "not yet visited");
        assert!(!lesson.see(None, look(4, 7)), "still there");
        assert!(lesson.see(None, look(4, 2)));
        assert_eq!((lesson.step().title, lesson.agent()), ("Answer an agent", Some(pane(7))));
        assert!(lesson.see(Some(&Event::PaneClosed { pane: pane(7) }), look(3, 2)));
        assert_eq!(lesson.agent(), None);
        assert!(!lesson.is_over());
        lesson.see(Some(&Event::ClientLeft { client: 1 }), look(3, 2));
        assert!(lesson.is_over());
    }

    #[test]
    fn steps_are_skipped_and_repeated_but_never_left_behind() {
        let mut lesson = Lesson::at(99, look(2, 1));
        assert_eq!(lesson.number(), STEPS.len() - 1);
        lesson.skip();
        assert_eq!(lesson.number(), STEPS.len() - 1);
        (0..20).for_each(|_| lesson.back());
        assert_eq!(lesson.number(), 0);
    }
}
