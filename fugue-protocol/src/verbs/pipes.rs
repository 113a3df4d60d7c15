//! Pipes of tmux's `pipe-pane`: a process outside the daemon hands a pane's output to a command, and the daemon knows it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PaneChoice;

/// Be the pipe of a pane for as long as this connection lasts.
///
/// The process that copies the output uses it. The reply comes only if the pane has another pipe, or is closed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct HoldPipe {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The key of the pipe, which nobody else has.
    pub key: String,
}

/// Wait until a pipe must end, although its pane does not.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AwaitPipeEnd {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The key of the pipe.
    pub key: String,
}

/// End the pipe of a pane, and wait until its process is gone.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct EndPipe {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}
