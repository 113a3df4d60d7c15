//! Messages between hosts: what the relay (`fugue fleet`) asks of the daemon.

use clap::Args;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::MessageId;
use crate::fleet_host::FleetHost;
use crate::views::{RemoteMessage, RemoteReceipt};

/// Read messages and receipts for other hosts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct TakeOutbox {
    /// Return only messages and receipts for these hosts. Defaults to all hosts.
    #[arg(long, value_name = "HOST", num_args = 1..)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<FleetHost>,
    /// Also return messages relayed at least this many milliseconds ago whose delivery is unconfirmed.
    #[arg(long, value_name = "MILLISECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub unstored_after_ms: Option<u64>,
    /// Leave out messages and receipts for these hosts.
    #[arg(long, value_name = "HOST", num_args = 1..)]
    pub except: Vec<FleetHost>,
    /// Leave out messages for groups on all hosts.
    #[arg(long)]
    pub without_groups: bool,
    /// If there is nothing, wait up to this many milliseconds (at most 110000).
    #[arg(long, default_value_t = 0)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub wait_ms: u64,
}

/// Replace each message to all hosts by one message per host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ExpandOutbox {
    /// The messages.
    #[arg(required = true)]
    pub messages: Vec<MessageId>,
    /// The hosts that are online.
    #[arg(long, value_name = "HOST", num_args = 1..)]
    #[serde(default)]
    pub hosts: Vec<FleetHost>,
}

/// Confirm that messages and receipts were relayed.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ConfirmOutbox {
    /// Messages that were relayed to a host.
    #[arg(long, value_name = "HOST/MESSAGE", num_args = 1..)]
    pub relayed: Vec<RelayedMessage>,
    /// Receipts that were relayed, as JSON.
    #[arg(long, value_name = "JSON", num_args = 1.., value_parser = from_json::<RemoteReceipt>)]
    pub reported: Vec<RemoteReceipt>,
}

/// Store messages and receipts from another host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct DeliverRemote {
    /// Sending host, as authenticated by the relay.
    #[arg(id = "from_host", value_name = "HOST")]
    pub host: FleetHost,
    /// Messages, as JSON, in the order in which they were sent.
    #[arg(long, value_name = "JSON", num_args = 1.., value_parser = from_json::<RemoteMessage>)]
    #[serde(default)]
    pub messages: Vec<RemoteMessage>,
    /// Receipts, as JSON, of messages that were sent to that host.
    #[arg(long, value_name = "JSON", num_args = 1.., value_parser = from_json::<RemoteReceipt>)]
    #[serde(default)]
    pub receipts: Vec<RemoteReceipt>,
    /// Reject new messages, and give this reason.
    #[arg(long, value_name = "REASON")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub refuse_new: Option<String>,
}

/// Create a session requested by a session on another host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct StartRemote {
    /// Requesting host, as authenticated by the relay.
    #[arg(id = "from_host", value_name = "HOST")]
    pub host: FleetHost,
    /// The request, as JSON.
    #[arg(long, value_name = "JSON", value_parser = from_json::<RemoteMessage>)]
    pub request: RemoteMessage,
}

/// A message that was relayed to a host: `host/UUID`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedMessage {
    /// The host.
    pub host: FleetHost,
    /// The message.
    pub message: MessageId,
}

impl std::str::FromStr for RelayedMessage {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (host, message) =
            FleetHost::split(text).ok_or_else(|| format!("`{text}` is not HOST/MESSAGE"))?;
        Ok(Self { host, message: message.parse().map_err(|why: crate::ids::NotAnId| why.to_string())? })
    }
}

impl std::fmt::Display for RelayedMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.host, self.message)
    }
}

crate::string_type_macros::text_schema!(RelayedMessage);
crate::string_type_macros::text_serde!(RelayedMessage);

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|why| why.to_string())
}
