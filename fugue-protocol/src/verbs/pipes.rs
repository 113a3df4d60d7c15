//! Pipes of tmux's `pipe-pane`: a process outside the daemon hands a pane's output to a command, and the daemon knows it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PaneChoice;

/// Serve as a pane's pipe until this connection ends.
///
/// Used by the process that copies the output. The reply comes when another pipe replaces it or the pane is closed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct HoldPipe {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The pipe's secret key.
    pub key: String,
}

/// Wait until a pane's pipe is to be closed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AwaitPipeEnd {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The key of the pipe.
    pub key: String,
}

/// Close a pane's pipe, and wait until its process has exited.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct EndPipe {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}
