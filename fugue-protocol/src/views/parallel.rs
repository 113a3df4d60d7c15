//! What became of commands that were run side by side.

use super::*;

/// OfferedVia a command's run came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ParallelOutcome {
    /// It ended.
    Exited,
    /// It still ran when the time was over.
    Timeout,
    /// Its pane was closed by somebody.
    Closed,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ParallelRun {
    /// The command.
    pub command: String,
    /// The pane it ran in.
    pub pane_id: PaneId,
    /// OfferedVia it came out.
    pub outcome: ParallelOutcome,
    /// OfferedVia it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The last lines of what it wrote.
    pub output: String,
    /// Lines before these that are not shown.
    #[serde(default, skip_serializing_if = "no_lines")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
}

fn no_lines(count: &u64) -> bool {
    *count == 0
}

/// What became of all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParallelRuns {
    /// In the order in which they were given.
    pub runs: Vec<ParallelRun>,
    /// Whether every one ended with exit code 0.
    pub succeeded: bool,
    /// Whether the panes are still there.
    pub kept: bool,
    /// OfferedVia long it took.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
}
