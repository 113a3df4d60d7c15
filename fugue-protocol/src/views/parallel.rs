//! Results of commands run at once.

use super::*;

/// How one of several commands ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ParallelOutcome {
    /// It exited.
    Exited,
    /// It was still running at the timeout.
    Timeout,
    /// Its pane was closed.
    Closed,
}

/// One of several commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ParallelRun {
    /// The command line.
    pub command: String,
    /// The pane that the command ran in.
    pub pane_id: PaneId,
    /// How the run ended.
    pub outcome: ParallelOutcome,
    /// How the command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The last lines of the output.
    pub output: String,
    /// Number of earlier lines that are not included.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
    /// Number of bytes of those lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes_missing: u64,
    /// Output of the command that is no longer kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DroppedOutput")]
    pub dropped: Option<DroppedOutput>,
    /// Cursor at the start of the returned output. If the pane is kept, pass it to get-output as `before`.
    #[serde(default)]
    pub start: String,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The results of all commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParallelRuns {
    /// The results, in the order of the commands.
    pub runs: Vec<ParallelRun>,
    /// Whether all commands exited with code 0.
    pub succeeded: bool,
    /// Whether the panes were kept.
    pub kept: bool,
    /// Duration in milliseconds.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
}
