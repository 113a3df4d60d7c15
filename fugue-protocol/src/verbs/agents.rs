//! Agents: their state, and the evidence for it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PaneChoice;
use crate::{PaneRef, SessionRef};

/// Explain an agent's state and the evidence for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Explain {
    /// Pane id (or its last digits) or name. Defaults to the caller's own, or to the session's current pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Use the current pane of this session (UUID or name).
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Resume the conversation of an agent that has exited.
///
/// The agent is restarted in its pane and continues the conversation it had there. This works only if the program has
/// exited or was lost and the conversation's id is known from the agent's hooks, MCP server or command line. fugue
/// never guesses an id.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ResumeAgent {
    /// Pane id (or its last digits) or name. Defaults to the caller's own, or to the session's current pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Use the current pane of this session (UUID or name).
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

impl ResumeAgent {
    /// The agent's pane.
    pub fn choice(&self) -> PaneChoice {
        PaneChoice { pane: self.pane.clone(), session: self.session.clone() }
    }
}

impl Explain {
    /// The agent's pane.
    pub fn choice(&self) -> PaneChoice {
        PaneChoice { pane: self.pane.clone(), session: self.session.clone() }
    }
}
