//! The facts about a pane on which its parts decide.

use std::time::Instant;

use fugue_core::agents::AgentSummary;
use fugue_protocol::PaneId;
use fugue_screen::Screen;

/// The state of a pane at one moment.
#[derive(Clone, Copy)]
pub(super) struct PaneFacts<'a> {
    pub(super) pane: PaneId,
    pub(super) screen: &'a Screen,
    /// The state of the agent in the pane.
    pub(super) agent: Option<AgentSummary>,
    /// How many more milliseconds a person's typing locks the keyboard.
    pub(super) locked_ms: Option<u64>,
    pub(super) last_output: Instant,
    pub(super) now: Instant,
}
