//! The end of a pane's program, and what happens to the pane then.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ExitStatus {
    /// It exited with a code.
    Code(#[schemars(schema_with = "crate::time::plain_integer")] i32),
    /// It was killed by a signal.
    Signal(#[schemars(schema_with = "crate::time::plain_integer")] i32),
    /// No keeper was running to observe it.
    Unknown,
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => f.write_str("exit status unknown"),
        }
    }
}

/// What happens to a pane when its program exits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OnExit {
    /// It is closed, as in tmux.
    #[default]
    Close,
    /// It is kept, with its last screen and its exit status.
    Keep,
    /// It is kept if the program failed.
    KeepFailed,
}

impl OnExit {
    /// Whether a pane is closed after this exit.
    pub fn closes(self, exit: ExitStatus) -> bool {
        match self {
            Self::Close => true,
            Self::Keep => false,
            Self::KeepFailed => exit == ExitStatus::Code(0),
        }
    }
}

impl std::str::FromStr for OnExit {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "close" => Ok(Self::Close),
            "keep" => Ok(Self::Keep),
            "keep-failed" | "keep_failed" => Ok(Self::KeepFailed),
            other => Err(format!("`{other}` is not one of close, keep, keep-failed")),
        }
    }
}
