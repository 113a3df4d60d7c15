//! Agents: their state, the evidence for it, and the dialogs in which they ask the user.

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

/// List agents' open dialogs and their choices.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListPermissions {}

/// Answer an agent's dialog.
///
/// The answer is typed only if the dialog shown by `fugue permissions` is still open.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AnswerPermission {
    /// Id of the dialog, as shown by `fugue permissions`.
    pub dialog: String,
    /// Number of the choice, or the beginning of its text.
    ///
    /// In a dialog with check boxes, this checks or unchecks one; `Submit` finishes the dialog.
    pub choice: String,
    /// Your own answer, for a choice that takes text. One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub text: Option<String>,
}
