//! Several commands side by side.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WaitArgument;
use crate::SessionRef;

/// Run several commands side by side, each in a pane of its own, and tell how each ended and what it wrote.
///
/// The panes are closed afterwards, and when the call is cancelled or the daemon goes away: what still runs then is ended.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RunParallel {
    /// Command lines for the shell, up to 16.
    #[arg(required = true, value_name = "COMMAND")]
    pub commands: Vec<String>,
    /// The session to run them in, by name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Working directory of all of them; that of the pane they come from when left out.
    #[arg(long, short = 'c')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// OfferedVia long to wait for all of them, in milliseconds; what still runs then is ended and told as a timeout.
    #[arg(long, default_value_t = RunParallel::WAIT_MS)]
    #[serde(default = "usual_wait")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub wait_ms: u64,
    /// Lines of output to show of each, the last ones.
    #[arg(long, short = 'n', default_value_t = RunParallel::LINES)]
    #[serde(default = "usual_lines")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
    /// Keep the panes, and let what still runs go on.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
}

impl RunParallel {
    /// Waiting for so long, unless asked otherwise.
    pub const WAIT_MS: u64 = 60_000;
    /// Lines of each, unless asked otherwise.
    pub const LINES: usize = 40;

    pub(super) const WAIT: WaitArgument =
        WaitArgument { default_ms: Self::WAIT_MS, ..WaitArgument::ON_REQUEST };
}

fn usual_wait() -> u64 {
    RunParallel::WAIT_MS
}

fn usual_lines() -> usize {
    RunParallel::LINES
}
