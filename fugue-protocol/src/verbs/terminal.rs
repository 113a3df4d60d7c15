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

/// Get recent output from a pane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetOutput {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Number of lines to retrieve.
    #[arg(long, short = 'n', default_value_t = GetOutput::LINES)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
    /// Only what came after this cursor, which an earlier reply gave.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Cursor")]
    pub since: Option<Cursor>,
    /// The rows of the screen as they stand, instead of lines of text.
    #[arg(long)]
    pub screen: bool,
    /// With its colours, as escape sequences.
    #[arg(long, short = 'e')]
    pub ansi: bool,
}

impl GetOutput {
    /// Lines retrieved unless asked otherwise.
    pub const LINES: usize = 100;
}

impl Default for GetOutput {
    fn default() -> Self {
        Self { choice: PaneChoice::default(), lines: Self::LINES, since: None, screen: false, ansi: false }
    }
}

/// A place in a pane's text: line and character, counted from the pane's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// The line.
    pub line: u64,
    /// Characters of that line already seen.
    pub offset: usize,
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.offset)
    }
}

impl FromStr for Cursor {
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

crate::text_schema::text_schema!(Cursor);
text_serde!(Cursor);

/// Wait until a pane's program ends, is quiet, or shows a text. Running out of time is an outcome, not an error.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Wait {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// exit, idle or match; match when a pattern is given, else exit.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Until")]
    pub until: Option<Until>,
    /// For match: a regular expression, looked for in each line.
    #[arg(long = "match", value_name = "REGEX")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub pattern: Option<String>,
    /// For match: only in what came after this cursor; in what the screen shows, too, when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Cursor")]
    pub since: Option<Cursor>,
    /// For idle: how long nothing may be written, in milliseconds.
    #[arg(long, default_value_t = Wait::IDLE_MS)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub idle_ms: u64,
    /// How long to wait at most, in milliseconds.
    #[arg(long, default_value_t = Wait::TIMEOUT_MS)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: u64,
}

impl Wait {
    /// Quiet for so long is idle: longer than a program pauses between two lines.
    pub const IDLE_MS: u64 = 500;
    /// Waiting for so long, unless asked otherwise.
    pub const TIMEOUT_MS: u64 = 30_000;
}

impl Default for Wait {
    fn default() -> Self {
        let choice = PaneChoice::default();
        Self {
            choice,
            until: None,
            pattern: None,
            since: None,
            idle_ms: Self::IDLE_MS,
            timeout_ms: Self::TIMEOUT_MS,
        }
    }
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Until {
    /// The program's end.
    Exit,
    /// Quiet.
    Idle,
    /// A text.
    Match,
}

impl FromStr for Until {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "exit" => Ok(Self::Exit),
            "idle" => Ok(Self::Idle),
            "match" => Ok(Self::Match),
            other => Err(format!("`{other}` is none of exit, idle, match")),
        }
    }
}

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
