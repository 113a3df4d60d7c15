//! What was read from, typed into and awaited in a pane.

use super::*;

/// Text of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
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
    /// Lines between what was asked for and what is shown, that are no longer kept or did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
    /// Whether the program runs.
    pub state: Life,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Exit")]
    pub exit: Option<Exit>,
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
    /// The picture, as text.
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
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// The program ended.
    Exited,
    /// The pane was quiet for long enough.
    Idle,
    /// The text appeared.
    Matched,
    /// The time ran out first. An outcome, not an error.
    Timeout,
    /// The pane was closed first.
    Closed,
}

/// What a wait saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    /// The pane.
    pub pane_id: PaneId,
    /// How the wait ended.
    pub outcome: Outcome,
    /// How the program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Exit")]
    pub exit: Option<Exit>,
    /// The text that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub matched: Option<String>,
    /// How long it took.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
    /// Where the pane's text ends now.
    pub cursor: String,
}
