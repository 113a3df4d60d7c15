//! The caller, the daemon, and what happens in it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Get the identity of the current pane/session. Returns pane ID, session ID, session name, tags, and cwd.
///
/// The pane is found by the calling process and by FUGUE_PANE_ID in its environment.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Whoami {
    /// Whether to include session tags in response.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub include_tags: bool,
}

impl Default for Whoami {
    fn default() -> Self {
        Self { include_tags: true }
    }
}

/// Be told what happens, from an event on that was seen before.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SubscribeEvents {
    /// Number of the last event that was seen; only what happens from now on when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub since: Option<u64>,
}

/// Show how the daemon is.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetServerStatus {}

/// End the daemon, the keeper, and every program in every pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Shutdown {}
