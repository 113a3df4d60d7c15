//! The caller, the daemon and its events.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Get the identity of the current pane/session. Returns pane ID, session ID, session name, tags, and cwd.
///
/// The pane is identified by the calling process and by FUGUE_PANE_ID in its environment.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[command(
    about = "Show which pane and session you are in",
    long_about = "Show which pane and session you are in: ids, session name, tags and working directory\n\n\
                  The pane is identified by the process that asks and by FUGUE_PANE_ID in its environment."
)]
#[serde(default)]
pub struct Whoami {
    /// Whether to include session tags in response.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, help = "Include the session's tags")]
    pub include_tags: bool,
}

impl Default for Whoami {
    fn default() -> Self {
        Self { include_tags: true }
    }
}

/// Stream events.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SubscribeEvents {
    /// Id of the last event received. Defaults to streaming only new events.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub since: Option<u64>,
}

/// Show the daemon's status.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetServerStatus {}

/// Count what the daemon holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetMetrics {}

/// Dismiss the daemon's warnings about journal damage.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct DismissWarnings {}

/// Shut down the daemon and kill every program.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Shutdown {}

/// Check whether you may affect the whole daemon, as a person may.
///
/// Commands call it before they change files that determine which programs fugue may run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Authorize {}
