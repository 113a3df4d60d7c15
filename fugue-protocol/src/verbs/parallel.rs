//! `run-parallel`: several commands at once.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WaitArgument, WaitPurpose};
use crate::{IdempotencyKey, SessionRef};

/// Run several commands at once, each in its own pane.
///
/// Returns the exit code and output of each command. The panes are closed when the call ends or is canceled. Any
/// programs still running in them are killed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RunParallel {
    /// Shell commands to run (at most 16).
    #[arg(required = true, value_name = "COMMAND")]
    pub commands: Vec<String>,
    /// Session (name or UUID) to run the commands in. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Working directory. Defaults to that of the session's current pane.
    #[arg(long, short = 'c')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// How long to wait for all commands, in milliseconds. Commands that are still running after that are killed and
    /// reported as timed out.
    #[arg(long, default_value_t = RunParallel::WAIT_MS)]
    #[serde(default = "default_wait")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub wait_ms: u64,
    /// Number of lines of output to return for each command, counted from the end.
    #[arg(long, short = 'n', default_value_t = RunParallel::LINES)]
    #[serde(default = "default_lines")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
    /// Keep the panes open. Commands that are still running are not killed.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// Idempotency key. If a call is repeated with the same key, it waits for the original commands, or returns
    /// their results.
    #[arg(long, value_name = "KEY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl RunParallel {
    /// The default wait.
    pub const WAIT_MS: u64 = 60_000;
    /// The default number of lines for each.
    pub const LINES: usize = 40;

    pub(super) const WAIT: WaitArgument =
        WaitArgument { default_ms: Self::WAIT_MS, ..WaitArgument::on_request(WaitPurpose::Commands) };
}

fn default_wait() -> u64 {
    RunParallel::WAIT_MS
}

fn default_lines() -> usize {
    RunParallel::LINES
}
