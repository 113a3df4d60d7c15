//! `run`: a command, with its output and exit code.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WaitArgument, WaitPurpose};
use crate::{IdempotencyKey, PaneRef, SessionRef};

/// Run a command and return its output and exit code.
///
/// The command runs in the given pane's shell, or in a pane of its own, which is closed if the command finishes in
/// time. If the time runs out, the command keeps running. If the call is canceled, the command is interrupted, or the
/// pane created for it is closed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct Run {
    /// The command line to run.
    pub command: String,
    /// Pane whose shell runs the command: its id (or last digits) or name. The shell must be at its
    /// prompt. Changes to its directory and variables persist.
    #[arg(long, short = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Session for the new pane if no pane is given. Defaults to the current session.
    #[arg(long, short = 's')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Working directory. Only allowed if no pane is given.
    #[arg(long, short = 'c')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// How long to wait for the command to finish, in milliseconds.
    #[arg(long, default_value_t = Run::TIMEOUT_MS)]
    #[serde(default = "timeout")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: u64,
    /// Number of lines of output to return, counted from the end.
    #[arg(long, short = 'n', default_value_t = Run::LINES)]
    #[serde(default = "lines")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
    /// Idempotency key. If a call is repeated with the same key, it waits for the original run, or returns its
    /// result.
    #[arg(long, value_name = "KEY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl Run {
    /// The default timeout: most commands have finished by then.
    pub const TIMEOUT_MS: u64 = 60_000;
    /// The default number of lines.
    pub const LINES: usize = 100;

    pub(super) const WAIT: WaitArgument = WaitArgument {
        name: "timeout_ms",
        default_ms: Self::TIMEOUT_MS,
        purpose: WaitPurpose::Command,
        own_connection: false,
        after_earlier_calls: false,
    };

    pub(super) const NOTE: &'static str = "Returns text: a header line (exit code, pane, duration), then the output. A \
        call waits at most 110 seconds.";
}

fn timeout() -> u64 {
    Run::TIMEOUT_MS
}

fn lines() -> usize {
    Run::LINES
}
