//! Running a command and getting what came of it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WaitArgument;
use crate::{PaneRef, SessionRef};

/// Run a command and get its exit code and its output, nothing else. In the shell of a pane that is named, else in a
/// pane of its own, which is closed when the command ends in time. Running out of time is an outcome: it goes on.
/// What a shell says of its background jobs meanwhile counts as output.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct Run {
    /// The command line.
    pub command: String,
    /// The pane whose shell runs it, waiting at its prompt: id (or its last digits) or name. Directory and variables
    /// stay as the command leaves them.
    #[arg(long, short = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Without a pane: the session in which one is opened; the caller's own when left out.
    #[arg(long, short = 's')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Without a pane: the directory in which it runs.
    #[arg(long, short = 'c')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// OfferedVia long to wait for its end, in milliseconds.
    #[arg(long, default_value_t = Run::TIMEOUT_MS)]
    #[serde(default = "timeout")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: u64,
    /// Number of lines of output to retrieve, the last ones.
    #[arg(long, short = 'n', default_value_t = Run::LINES)]
    #[serde(default = "lines")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: usize,
}

impl Run {
    /// Waiting for so long, unless asked otherwise: most commands are over by then.
    pub const TIMEOUT_MS: u64 = 60_000;
    /// Lines retrieved unless asked otherwise.
    pub const LINES: usize = 100;

    pub(super) const WAIT: WaitArgument = WaitArgument {
        name: "timeout_ms",
        default_ms: Self::TIMEOUT_MS,
        own_connection: false,
        after_earlier_calls: false,
    };

    pub(super) const NOTE: &'static str = "Returns text: one header line (exit code, pane, duration), then the output. \
        A call waits at most 110 seconds; a command that is still running then keeps its pane.";
}

fn timeout() -> u64 {
    Run::TIMEOUT_MS
}

fn lines() -> usize {
    Run::LINES
}
