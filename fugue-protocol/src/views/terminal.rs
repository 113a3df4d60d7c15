//! What was read from, typed into and awaited in a pane.

use super::*;
use crate::agents::AgentState;

/// Text of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneOutput {
    /// The pane.
    pub pane_id: PaneId,
    /// The lines, right-trimmed.
    pub text: String,
    /// Number of the first line shown; lines are counted from the pane's start.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub from_line: u64,
    /// Number of the line after the last one shown.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub to_line: u64,
    /// Number of the oldest line that is still kept.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub oldest_line: u64,
    /// Where this text ends: give it as `since` to read what came later.
    pub cursor: String,
    /// Where this text begins, when there is more before it: give it as `before` to read that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub start: Option<String>,
    /// For grep: how many lines match, shown or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub matches: Option<u64>,
    /// For the last command: which one it is, and how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CommandView")]
    pub command: Option<CommandView>,
    /// Lines between what was asked for and what is shown, that are no longer kept or did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
    /// Something to know about this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
    /// Whether the program runs.
    pub state: Life,
    /// OfferedVia it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
}

/// A command that a shell ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CommandView {
    /// What was typed.
    pub line: String,
    /// Whether it still runs.
    pub running: bool,
    /// Its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub exit_code: Option<i32>,
    /// OfferedVia long it took, or has run so far; left out if it began or ended while no daemon looked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub duration_ms: Option<u64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A picture of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// The pane.
    pub pane_id: PaneId,
    /// Its form.
    pub format: crate::verbs::Format,
    /// The picture, as text; a png in base64.
    pub content: String,
}

/// What became of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputSent {
    /// The pane.
    pub pane_id: PaneId,
    /// Bytes handed to the terminal.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes: usize,
    /// Where the pane's text ended before: `get-output --since` reads what the input caused.
    pub cursor: String,
    /// When it was to be submitted: what was seen after Enter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Submitted")]
    pub submit: Option<Submitted>,
}

/// What was seen after Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Submitted {
    /// The program took it.
    Submitted,
    /// It still stands where it was typed, or the agent there shows no sign of it.
    Pending,
    /// The agent asks something first.
    Blocked,
}

/// OfferedVia a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WaitOutcome {
    /// The program ended.
    Exited,
    /// The pane was quiet for long enough.
    Idle,
    /// The text appeared.
    Matched,
    /// The shell shows its prompt again.
    CommandDone,
    /// The agent is in a state that was waited for.
    AgentState,
    /// A message lies unread; `poll-messages` reads it.
    Message,
    /// The time ran out first. An outcome, not an error.
    Timeout,
    /// The pane was closed first.
    Closed,
}

/// What a wait saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitResult {
    /// The pane.
    pub pane_id: PaneId,
    /// OfferedVia the wait ended.
    pub outcome: WaitOutcome,
    /// OfferedVia the program ended, or the command that the shell ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The text that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub matched: Option<String>,
    /// OfferedVia the agent in it is doing, when that was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentState")]
    pub agent: Option<AgentState>,
    /// Present and true when that was so before the wait began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub already: bool,
    /// OfferedVia long it took.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
    /// Where the pane's text ends now.
    pub cursor: String,
    /// The last lines of its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// When several panes were awaited: how it ended for each that is through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panes: Vec<WaitedPane>,
}

/// What a wait for several panes saw in one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WaitedPane {
    /// The pane.
    pub pane_id: PaneId,
    /// OfferedVia the wait for it ended.
    pub outcome: WaitOutcome,
    /// OfferedVia its program or its command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The text that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub matched: Option<String>,
    /// Where its text ended then.
    pub cursor: String,
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RunOutcome {
    /// It ended.
    Finished,
    /// It reads from the terminal and nobody has typed anything; it goes on.
    WaitingForInput,
    /// The time ran out; it goes on.
    Timeout,
    /// The shell did not take it: it shows its prompt again.
    NotRun,
    /// The pane's program ended with it.
    Exited,
    /// The pane was closed first.
    Closed,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// The pane in which it ran.
    pub pane_id: PaneId,
    /// What became of it.
    pub outcome: RunOutcome,
    /// Its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub signal: Option<i32>,
    /// What it wrote, the last lines of it.
    pub output: String,
    /// Lines of its output before these, that were not asked for or are no longer kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
    /// OfferedVia long it took.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
    /// Where the pane's text ends now: give it as `since` to read what comes later.
    pub cursor: String,
    /// Present and true when the command had a pane of its own, which is closed again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pane_closed: bool,
}
