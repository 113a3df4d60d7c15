//! Waiting for what happens in panes.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutputCursor, PaneChoice, WaitArgument};
use crate::PaneRef;
use crate::agents::AgentState;

/// Wait until a pane's program ends, is quiet, shows a text, its shell is done with a command, its agent is in a
/// state, or a message lies unread for its session; for any or all of several panes. Running out of time is an outcome, not an error.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Wait {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Or several panes, by id or name: until it holds for one of them.
    #[arg(long, num_args = 1.., value_name = "PANE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panes: Vec<PaneRef>,
    /// Until it holds for all of them.
    #[arg(long)]
    pub all: bool,
    /// exit, idle, match, command_done, agent_state or message; match when a pattern is given, else exit.
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
    #[schemars(with = "OutputCursor")]
    pub since: Option<OutputCursor>,
    /// For agent_state: any of these; any but working and unknown when left out.
    #[arg(long = "state", num_args = 1.., value_name = "STATE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<AgentState>,
    /// For idle: how long nothing may be written, in milliseconds.
    #[arg(long, default_value_t = Wait::IDLE_MS)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub idle_ms: u64,
    /// OfferedVia long to wait at most, in milliseconds.
    #[arg(long, default_value_t = Wait::TIMEOUT_MS)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: u64,
}

impl Wait {
    /// Quiet for so long is idle: longer than a program pauses between two lines.
    pub const IDLE_MS: u64 = 500;
    /// Waiting for so long, unless asked otherwise.
    pub const TIMEOUT_MS: u64 = 30_000;

    pub(super) const WAIT: WaitArgument = WaitArgument {
        name: "timeout_ms",
        default_ms: Self::TIMEOUT_MS,
        own_connection: true,
        after_earlier_calls: true,
    };

    pub(super) const NOTE: &'static str = "Use this instead of reading output in a loop. A call waits at most 110 \
        seconds; on timeout, call again to keep waiting.";
}

impl Default for Wait {
    fn default() -> Self {
        Self {
            choice: PaneChoice::default(),
            panes: Vec::new(),
            all: false,
            until: None,
            pattern: None,
            since: None,
            states: Vec::new(),
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
    /// The end of the command that the shell runs.
    CommandDone,
    /// A state of the agent in it.
    AgentState,
    /// A message in its session's inbox.
    Message,
}

impl FromStr for Until {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "exit" => Ok(Self::Exit),
            "idle" => Ok(Self::Idle),
            "match" => Ok(Self::Match),
            "command_done" | "command-done" => Ok(Self::CommandDone),
            "agent_state" | "agent-state" => Ok(Self::AgentState),
            "message" => Ok(Self::Message),
            other => {
                Err(format!("`{other}` is none of exit, idle, match, command_done, agent_state, message"))
            }
        }
    }
}
