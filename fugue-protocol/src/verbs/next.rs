//! The verb that only the next version has (`tools/next_version.rs`).

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SessionRef;

/// Set or show the mark of a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct MarkSession {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The mark. If omitted, the mark is only shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub mark: Option<String>,
}
