//! Subscriptions: the messages that an agent is notified of, and how.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent_messages::DeliveryMethod;
use crate::agents::AgentState;
use crate::conversation::{Conversation, ConversationId};
use crate::{MessageId, SessionRef, Timestamp};

/// Choose which messages you are notified of, and how.
///
/// Only those messages are counted as unread in the results of other calls; poll-messages still returns all messages.
/// Without arguments, you are notified of all messages.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SubscribeOrchestration {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Message types. `*` matches anything, as in `task.*`.
    #[arg(long = "type", value_name = "TYPE", num_args = 1..)]
    pub msg_types: Vec<String>,
    /// Senders: session names, ids or tags.
    #[arg(long, value_name = "SENDER", num_args = 1..)]
    pub from: Vec<String>,
    /// Delivery methods: count (the unread count in every result), hook (the agent's own hooks), push (wakes an agent
    /// that has its own inbox: Claude Code, Codex or OpenCode) and type (a line typed into the pane while the agent is
    /// idle, if the user allows it). Defaults to count, hook and, unless the user turned it off, push.
    #[arg(long, value_name = "METHOD", num_args = 1..)]
    pub deliver: Vec<DeliveryMethod>,
}

/// Get the one-line notification of unread messages.
///
/// `fugue hook` passes it to the agent. There is none if no message is unread, or if the session is not subscribed to
/// this delivery method.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct AnnounceMessages {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Return the line only if there are messages that the agent has not been notified of yet.
    #[arg(long)]
    pub news: bool,
    /// How the line reaches the agent: hook or push.
    #[arg(long, default_value_t = DeliveryMethod::Hook)]
    pub way: DeliveryMethod,
    /// The agent's conversation, as the hook knows it. `restore-panes` uses it.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conversation")]
    pub conversation: Option<Conversation>,
    /// Return the line and its messages without marking them as announced. With `confirm`: mark these messages as in
    /// transit, so that no other method announces them for a minute.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub peek: bool,
    /// Confirm that the agent was notified of these messages.
    #[arg(long, value_name = "MESSAGE", num_args = 1..)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirm: Vec<MessageId>,
    /// The permission request that has ended, by the reason that a hook reported for it; empty for all requests.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub over: Option<String>,
}

/// Report the conversation of the agent in your pane.
///
/// It is kept with the pane, and `resume-agent` continues it. fugue's MCP server and hooks report it automatically.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ReportConversation {
    /// Name of the agent: claude, codex, gemini, opencode.
    pub agent: String,
    /// Conversation id, as the agent names it.
    pub id: ConversationId,
}

/// Report the state of the agent in your pane.
///
/// The state applies until the next report or until the agent exits; report `unknown` to clear it. Unlike
/// `report-status`, this sends no message. fugue's plugin for OpenCode reports the state automatically.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ReportState {
    /// Name of the agent: claude, codex, gemini, opencode.
    pub agent: String,
    /// State: idle, working, waiting_for_input, blocked, complete, error or unknown.
    pub state: AgentState,
    /// The reason: what the agent asks, or why it failed.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// When the state is expected to end, in milliseconds since 1970.
    #[arg(long, value_name = "MS", value_parser = parse_time)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Timestamp")]
    pub until: Option<Timestamp>,
    /// Tokens in the context of the model.
    #[arg(long, value_name = "TOKENS")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub context_tokens: Option<u64>,
    /// Cost of the conversation so far, in millionths of a US dollar.
    #[arg(long, value_name = "MICROS")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cost_micros: Option<u64>,
    /// With the state `blocked`: the whole command that the agent asks to run. Only a dialog whose command was reported
    /// is answered by rules.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// The report comes from the agent's permission hook, and applies until the request is answered.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hook: bool,
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse().map(Timestamp::from_millis).map_err(|_| "must be a number".to_owned())
}

impl Default for AnnounceMessages {
    fn default() -> Self {
        Self {
            session: None,
            news: false,
            way: DeliveryMethod::Hook,
            conversation: None,
            peek: false,
            confirm: Vec::new(),
            over: None,
        }
    }
}
