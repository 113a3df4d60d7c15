//! `spawn-agent`: starts an agent and replies when it is ready.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::program_arguments::{KeyValue, entries};
use super::{NewWorktree, WaitArgument, WaitPurpose, WindowChoice};
use crate::{ConfinementName, FleetHost, IdempotencyKey, PaneRef, SessionName, Side, Tag};

/// Start an agent and wait until it is ready.
///
/// The agent gets its own session, or a window or split in another session. The reply shows whether the agent is
/// waiting for input, has accepted the prompt, is showing a dialog (and which one) or failed to start (and why).
/// Dialogs are never answered. If the time runs out, the agent keeps running.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SpawnAgent {
    /// Name of the agent: claude, codex, gemini, opencode, or one from agents.toml.
    pub agent: String,
    /// The first prompt.
    #[arg(long, short = 'p', allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub prompt: Option<String>,
    /// Name of the new session. Defaults to the worktree's branch, or to the agent's name.
    #[arg(long = "session", short = 's', value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub name: Option<SessionName>,
    /// Tags for the new session; messages can be addressed to them.
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// A git worktree to work in. It is created if the branch has none.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NewWorktree")]
    pub worktree: Option<NewWorktree>,
    /// Open a window in the session of this pane (id, the last digits of its id, or name) instead of a new session.
    #[arg(long, short = 't', alias = "target", conflicts_with_all = ["name", "tags"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Split the target pane and open the agent on this side of it: right, below, left or above.
    #[arg(long, value_name = "SIDE", requires = "pane")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub split: Option<Side>,
    /// Confinement profile, such as worktree.
    #[arg(long, value_name = "PROFILE", conflicts_with = "pane")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ConfinementName")]
    pub confine: Option<ConfinementName>,
    /// Fleet host to start the agent on, if that host allows it. Paths are on that host. The call does not wait
    /// for the agent to be ready.
    #[arg(id = "on_host", long = "on", value_name = "HOST", conflicts_with_all = ["pane", "wait"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FleetHost")]
    pub host: Option<FleetHost>,
    /// Model name, as the agent expects it.
    #[arg(long, short = 'm')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub model: Option<String>,
    /// Name of the permission mode, as the agent expects it.
    #[arg(long, value_name = "MODE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub permission_mode: Option<String>,
    /// Id of a conversation to resume.
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub resume: Option<String>,
    /// Working directory. Defaults to your own.
    #[arg(long, short = 'c')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// Environment variables to set.
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE")]
    #[serde(default, with = "entries", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: Vec<KeyValue>,
    /// Wait until the agent has finished its turn, and return its last message. Requires a prompt.
    #[arg(long, requires = "prompt")]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wait: bool,
    /// How long to wait, in milliseconds.
    #[arg(long, default_value_t = SpawnAgent::TIMEOUT_MS)]
    #[serde(default = "timeout")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: u64,
    /// Idempotency key. If a call is repeated with the same key, it waits for the agent that the first call
    /// started.
    #[arg(long, value_name = "KEY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// Additional arguments, passed to the agent unchanged.
    #[arg(last = true, value_name = "ARGS")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The window that was chosen when the request was first decided.
    #[arg(skip)]
    #[serde(skip)]
    #[schemars(skip)]
    pub place: WindowChoice,
}

impl SpawnAgent {
    /// The default timeout: an agent is ready by then even on a busy machine, and an MCP server may wait that long.
    pub const TIMEOUT_MS: u64 = 100_000;

    pub(super) const WAIT: WaitArgument = WaitArgument {
        name: "timeout_ms",
        default_ms: Self::TIMEOUT_MS,
        purpose: WaitPurpose::Agent,
        own_connection: false,
        after_earlier_calls: false,
    };
}

fn timeout() -> u64 {
    SpawnAgent::TIMEOUT_MS
}
