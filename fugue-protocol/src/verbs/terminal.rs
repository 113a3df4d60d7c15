//! Typing into panes, reading them, and waiting for what happens in them.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PaneChoice;
use crate::text_schema::text_serde;

/// Send input to a pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SendInput {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Input to send, as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub input: Option<String>,
    /// Keys to press after it, by name: Enter, C-c, M-x, Up, F5, PageUp.
    #[arg(long = "key", short = 'k', value_name = "KEY", num_args = 1..)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Then press Enter, once the program has taken the text in.
    #[arg(long)]
    pub submit: bool,
}

impl SendInput {
    pub(super) const NOTE: &'static str = "Set `submit` to press Enter after the text; put named keys (C-c, Up) in \
        `keys`. Pass the reply's `cursor` as `since` to fugue_get_output to read the resulting output.";
}

/// Get recent output from a pane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetOutput {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Number of lines to retrieve, the last ones.
    #[arg(long, short = 'n', default_value_t = GetOutput::LINES)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
    /// Only what came after this cursor, which an earlier reply gave.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OutputCursor")]
    pub since: Option<OutputCursor>,
    /// Or only what stands before this one: `start` of an earlier reply pages back.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OutputCursor")]
    pub before: Option<OutputCursor>,
    /// history: lines of text; screen: the rows as they stand; last_command: what the shell's last command wrote.
    #[arg(long, default_value = "history")]
    pub mode: Mode,
    /// Only lines in which this regular expression matches, with their numbers.
    #[arg(long, short = 'g', value_name = "REGEX")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub grep: Option<String>,
    /// For grep: so many lines around each match, too.
    #[arg(long, default_value_t = 0)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub context: usize,
    /// With its colors, as escape sequences.
    #[arg(long, short = 'e')]
    pub ansi: bool,
}

impl GetOutput {
    /// Lines retrieved unless asked otherwise.
    pub const LINES: usize = 100;

    pub(super) const NOTE: &'static str = "Returns text: one header line (pane, state, lines, next cursor), then the \
        lines. If there are too many, the newest are kept; use `before` to page back, or `grep` to search all of them.";
}

impl Default for GetOutput {
    fn default() -> Self {
        Self {
            choice: PaneChoice::default(),
            lines: Self::LINES,
            since: None,
            before: None,
            mode: Mode::History,
            grep: None,
            context: 0,
            ansi: false,
        }
    }
}

/// What of a pane is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Mode {
    /// Lines of text, history included.
    #[default]
    History,
    /// The rows of the screen as they stand.
    Screen,
    /// What the last command of its shell wrote.
    LastCommand,
}

impl FromStr for Mode {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "history" => Ok(Self::History),
            "screen" => Ok(Self::Screen),
            "last_command" | "last-command" => Ok(Self::LastCommand),
            other => Err(format!("`{other}` is none of history, screen, last_command")),
        }
    }
}

/// A place in a pane's text: line and character, counted from the pane's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutputCursor {
    /// The line.
    pub line: u64,
    /// Characters of that line already seen.
    pub offset: usize,
}

impl std::fmt::Display for OutputCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.offset)
    }
}

impl FromStr for OutputCursor {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (line, offset) = text.split_once(':')?;
            Some(Self { line: line.parse().ok()?, offset: offset.parse().ok()? })
        };
        parse().ok_or_else(|| {
            format!("`{text}` is not a cursor: give one that an earlier reply gave, as in 120:0")
        })
    }
}

crate::text_schema::text_schema!(OutputCursor);
text_serde!(OutputCursor);

/// Be sent a pane's screen and then what changes on it. A reader that lags gets the newest state, never a queue.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct WatchPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Be sent nothing more of it.
    #[arg(long)]
    pub stop: bool,
}
