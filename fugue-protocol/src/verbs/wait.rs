//! `wait`: for the program, the output or the agent of panes.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutputCursor, PaneChoice, WaitArgument, WaitPurpose};
use crate::agents::AgentState;
use crate::views::WaitOutcome;
use crate::{LeaseName, PaneRef};

/// Wait for a program, its output, an agent or a message.
///
/// Waits until a pane's program exits, is idle, shows a matching line or finishes a shell command, until the
/// pane's agent is in a given state, or until the pane's session has an unread message. Echoed input never matches. If
/// the time runs out, the reply says so.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[command(after_help = "The exit code is 1 if the time runs out.")]
#[serde(default)]
pub struct Wait {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Ids or names of several panes. Waits for any one of them.
    #[arg(long, num_args = 1.., value_name = "PANE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panes: Vec<PaneRef>,
    /// Wait for all of the panes. If one fails, the reply has its outcome and exit.
    #[arg(long)]
    pub all: bool,
    /// What to wait for: exit, idle, match, command_done, agent_state or message. Defaults to `match` with `pattern`,
    /// otherwise to `exit`.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Until")]
    pub until: Option<Until>,
    /// For match: the regular expression to search for in each line.
    #[arg(long = "match", value_name = "REGEX")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub pattern: Option<String>,
    /// For match: search only the output after this cursor. By default, older output on the screen matches too.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OutputCursor")]
    pub since: Option<OutputCursor>,
    /// Like `since`, for several panes: one cursor per pane, in the order of `panes`.
    #[arg(long, num_args = 1.., value_name = "CURSOR")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cursors: Vec<OutputCursor>,
    /// For agent_state: the states to wait for. Defaults to all except working and unknown.
    #[arg(long = "state", num_args = 1.., value_name = "STATE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<AgentState>,
    /// Also end the wait on any of these events: message (an unread message for your session), lease (`lease` is free),
    /// bell (the pane's bell rang) or exit.
    #[arg(long = "or", num_args = 1.., value_name = "EVENT")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<WaitEvent>,
    /// For the lease event: the name of the lease.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LeaseName")]
    pub lease: Option<LeaseName>,
    /// For idle: required silence in milliseconds (default 500).
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub idle_ms: Option<u64>,
    /// Timeout in milliseconds.
    #[arg(long, default_value_t = Wait::TIMEOUT_MS)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: u64,
}

impl Wait {
    /// The default silence that counts as idle: longer than a program pauses between two lines.
    pub const IDLE_MS: u64 = 500;
    /// The default timeout.
    pub const TIMEOUT_MS: u64 = 30_000;

    pub(super) const WAIT: WaitArgument = WaitArgument {
        name: "timeout_ms",
        default_ms: Self::TIMEOUT_MS,
        purpose: WaitPurpose::Pane,
        own_connection: true,
        after_earlier_calls: true,
    };

    pub(super) const NOTE: &'static str = "Use this instead of reading output in a loop. A call waits at most 110 \
        seconds; call again to keep waiting.";
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
            cursors: Vec::new(),
            states: Vec::new(),
            events: Vec::new(),
            lease: None,
            idle_ms: None,
            timeout_ms: Self::TIMEOUT_MS,
        }
    }
}

/// The condition of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Until {
    /// The program has exited.
    Exit,
    /// The program is silent.
    Idle,
    /// A line matches.
    Match,
    /// The shell command has finished.
    CommandDone,
    /// The agent is in a given state.
    AgentState,
    /// The session has an unread message.
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
                Err(format!("`{other}` is not one of exit, idle, match, command_done, agent_state, message"))
            }
        }
    }
}

/// An event that also ends a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WaitEvent {
    /// The caller's session has an unread message.
    Message,
    /// A lease is free.
    Lease,
    /// The terminal bell rang.
    Bell,
    /// The program exited.
    Exit,
}

impl WaitEvent {
    /// The outcome of a wait that this ends.
    pub fn outcome(self) -> WaitOutcome {
        match self {
            Self::Message => WaitOutcome::Message,
            Self::Lease => WaitOutcome::Lease,
            Self::Bell => WaitOutcome::Bell,
            Self::Exit => WaitOutcome::Exited,
        }
    }
}

impl FromStr for WaitEvent {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let word = serde_json::Value::String(text.to_owned());
        serde_json::from_value(word).map_err(|_| format!("`{text}` is not one of message, lease, bell, exit"))
    }
}
