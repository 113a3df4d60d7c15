//! Input to panes, and their output.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutputCursor, PaneChoice};
use crate::IdempotencyKey;

/// Send input to a pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SendInput {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Input to send, verbatim.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub input: Option<String>,
    /// Names of keys to press after the input, such as Enter, C-c, M-x, Up, F5 or PageUp.
    #[arg(long = "key", short = 'k', value_name = "KEY", num_args = 1..)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Press Enter at the end, once the program has read the text.
    #[arg(long)]
    pub submit: bool,
    /// Idempotency key. If a call is repeated with the same key, nothing is typed and the first reply is returned.
    #[arg(long, value_name = "KEY")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl SendInput {
    pub(super) const NOTE: &'static str = "Set `submit` to press Enter after the text, and put named keys (such as C-c \
        or Up) in `keys`. To read the output, pass the reply's `cursor` to fugue_get_output as `since`.";
}

/// Get recent output from a pane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetOutput {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Number of lines to retrieve, counted from the end.
    #[arg(long, short = 'n', default_value_t = GetOutput::LINES)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
    /// Return only output after this cursor (from an earlier reply).
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OutputCursor")]
    pub since: Option<OutputCursor>,
    /// Return only output before this cursor, to page back.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OutputCursor")]
    pub before: Option<OutputCursor>,
    /// What to return: history (lines of text, including scrollback), screen (the visible rows) or
    /// last_command (the output of the last shell command). Defaults to screen while a full-screen program
    /// runs, otherwise history.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mode")]
    pub mode: Option<Mode>,
    /// Return only lines that match this regular expression, each with the cursor of the match. Long lines are trimmed
    /// around their matches.
    #[arg(long, short = 'g', value_name = "REGEX")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub grep: Option<String>,
    /// With grep, also return this many lines around each match.
    #[arg(long, default_value_t = 0)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub context: usize,
    /// Keep colors as escape sequences.
    #[arg(long, short = 'e')]
    pub ansi: bool,
    /// Also return where the shell's commands and their output are in the history. Copy mode uses it.
    #[arg(skip)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub commands: bool,
    /// Also return the cursor's position and the length of the history. tmux's formats use it.
    #[arg(skip)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub screen_state: bool,
}

impl GetOutput {
    /// The default number of lines.
    pub const LINES: usize = 100;

    pub(super) const NOTE: &'static str = "Returns text: a header line (pane, state, lines, next cursor), then the \
        lines. If there is too much output, only the newest is returned, and the header says how much was omitted \
        and which `before` value returns it; `grep` searches all.";
}

impl Default for GetOutput {
    fn default() -> Self {
        Self {
            choice: PaneChoice::default(),
            lines: Self::LINES,
            since: None,
            before: None,
            mode: None,
            grep: None,
            context: 0,
            ansi: false,
            commands: false,
            screen_state: false,
        }
    }
}

/// The part of a pane's output that is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Mode {
    /// Lines of text, scrollback included.
    #[default]
    History,
    /// The visible rows of the screen.
    Screen,
    /// The output of the last shell command.
    LastCommand,
}

impl FromStr for Mode {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "history" => Ok(Self::History),
            "screen" => Ok(Self::Screen),
            "last_command" | "last-command" => Ok(Self::LastCommand),
            other => Err(format!("`{other}` is not one of history, screen, last_command")),
        }
    }
}

/// Stream a pane's screen and its changes.
///
/// A client that falls behind gets the newest state, not a backlog.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct WatchPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Stop the stream.
    #[arg(long)]
    pub stop: bool,
}
