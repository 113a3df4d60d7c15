//! What an agent is told of, and how.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SessionRef;
use crate::orchestration::DeliveryMethod;

/// Choose which messages you are told of, and how: only these count as unread in the results of other calls.
///
/// Returns at once. Every message still lies in the inbox and is shown by poll-messages. Without arguments: all, by the
/// count and by hooks.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SubscribeOrchestration {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Message types, where * stands for anything, as in 'task.*'.
    #[arg(long = "type", value_name = "TYPE", num_args = 1..)]
    pub msg_types: Vec<String>,
    /// Senders: session names, ids, or tags.
    #[arg(long, value_name = "SENDER", num_args = 1..)]
    pub from: Vec<String>,
    /// OfferedVia: count (the number in every result), hook (the agent's own hooks say it), push (the agent's bridge wakes it, where
    /// the agent has an inbox of its own, as Claude Code has), type (a line typed into the pane while it is at rest, where
    /// the user allowed that). count and hook when left out.
    #[arg(long, value_name = "WAY", num_args = 1..)]
    pub deliver: Vec<DeliveryMethod>,
}

/// Say in one line how many messages lie unread, for a hook to put before its agent; `fugue hook` does that.
///
/// Says nothing where there are none, or where the session is not to be told in this way.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct AnnounceMessages {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Only if there are some that the agent was never told of.
    #[arg(long)]
    pub news: bool,
    /// In which way the line will be put before the agent: hook or push.
    #[arg(long, default_value_t = DeliveryMethod::Hook)]
    pub way: DeliveryMethod,
}

impl Default for AnnounceMessages {
    fn default() -> Self {
        Self { session: None, news: false, way: DeliveryMethod::Hook }
    }
}
