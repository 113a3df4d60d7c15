//! Agents: their state, and the evidence for it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PaneChoice, PaneOperand};

/// Explain an agent's state and the evidence for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Explain {
    /// The agent's pane.
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "PaneChoice")]
    pub choice: PaneOperand,
}

/// Resume the conversation of an agent that has exited.
///
/// The agent is restarted in its pane and continues the conversation it had there. This works only if the program has
/// exited or was lost and the conversation's id is known from the agent's hooks, MCP server or command line. fugue
/// never guesses an id.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ResumeAgent {
    /// The agent's pane.
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "PaneChoice")]
    pub choice: PaneOperand,
}
