//! The facts about a pane on which its parts decide.

use std::time::Instant;

use fugue_agents::{Composer, ShownScreen, composer, dialog};
use fugue_core::agents::AgentSummary;
use fugue_protocol::PaneId;
use fugue_protocol::agents::{AgentState, Confidence};
use fugue_protocol::dialogs::{Dialog, DialogKind};
use fugue_screen::Screen;

use super::agent::shown_screen::shown_screen;

/// The state of a pane at one moment.
#[derive(Clone, Copy)]
pub(super) struct PaneFacts<'a> {
    pub(super) pane: PaneId,
    pub(super) screen: &'a Screen,
    /// The state of the agent in the pane.
    pub(super) agent: Option<AgentSummary>,
    /// Whether the agent's process reads this terminal.
    pub(super) is_direct: bool,
    /// The revision of the screen when the program in the foreground was started; none if it was there before this daemon.
    pub(super) begun: Option<u64>,
    /// The number of turns that the agent has begun.
    pub(super) turns: u64,
    /// Whether it is in one. This is known before the state is published.
    pub(super) is_in_turn: bool,
    /// How many more milliseconds a person's typing locks the keyboard.
    pub(super) locked_ms: Option<u64>,
    pub(super) last_output: Instant,
    pub(super) now: Instant,
}

impl PaneFacts<'_> {
    /// Whether the agent is known to be at rest: it said so, or there is direct evidence. A guess is not enough, because a
    /// dialog looks like rest, too.
    pub(super) fn is_surely_at_rest(&self) -> bool {
        let at_rest = |agent: AgentSummary| agent.state.is_at_rest() && agent.sure != Confidence::Guess;
        !self.is_in_turn && self.agent.is_some_and(at_rest)
    }

    /// Whether the agent asks something that only a person may answer: it reports so, or its screen shows it. What it
    /// reports counts whatever the screen shows, since other programs can draw there, too.
    pub(super) fn asks_person(&self) -> bool {
        let is_persons = |dialog: Dialog| dialog.kind != DialogKind::Question;
        self.agent.is_some_and(AgentSummary::asks_user) || self.dialog().is_some_and(is_persons)
    }

    /// Whether the agent asks anything, so that keys might answer it.
    pub(super) fn is_asking(&self) -> bool {
        self.agent.is_some_and(|agent| agent.state.needs_somebody()) || self.dialog().is_some()
    }

    /// Whether nothing is known of the agent's state yet.
    pub(super) fn is_starting(&self) -> bool {
        self.agent.is_some_and(|agent| agent.state == AgentState::Unknown)
    }

    /// The screen without what another program left on it.
    fn shown(&self) -> ShownScreen {
        let view = self.begun.map_or_else(|| self.screen.view(), |begun| self.screen.view_since(begun));
        shown_screen(&view)
    }

    /// Looks at the agent's input field.
    pub(super) fn composer(&self) -> Composer {
        let name = self.agent.and_then(|agent| agent.name);
        name.map_or(Composer::Unseen, |name| composer(name, &self.shown()))
    }

    /// Looks for a dialog of the agent. It has a command, to which rules apply, only if the agent itself draws on this
    /// terminal.
    pub(super) fn dialog(&self) -> Option<Dialog> {
        let dialog = dialog(self.agent?.name?, &self.shown())?;
        let command = dialog.command.clone().filter(|_| self.is_direct);
        Some(Dialog { command, ..dialog })
    }
}

#[cfg(test)]
impl<'a> PaneFacts<'a> {
    /// A pane without an agent that shows this screen. It printed something just now, and nobody is typing.
    pub(super) fn for_test(screen: &'a Screen, now: Instant) -> Self {
        let pane = PaneId::from_bytes([0; 16]);
        let (turns, is_in_turn, last_output) = (0, false, now);
        let (agent, is_direct, begun, locked_ms) = (None, true, None, None);
        Self { pane, screen, agent, is_direct, begun, turns, is_in_turn, locked_ms, last_output, now }
    }
}
