//! The daemon.

use super::*;

/// The status of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// The daemon's process id.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub pid: u32,
    /// The keeper's process id.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub keeper_pid: u32,
    /// The daemon's version.
    pub version: String,
    /// The daemon's protocol version.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub protocol: u32,
    /// Uptime in milliseconds.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub uptime_ms: u64,
    /// Number of sessions.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub sessions: usize,
    /// Number of windows.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub windows: usize,
    /// Number of panes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub panes: usize,
    /// Number of attached clients.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub clients: usize,
    /// Number of connections, including this one.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub connections: usize,
    /// Id of the newest event in the journal.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub last_event: u64,
    /// Path to the daemon's socket.
    pub socket: String,
    /// This host's name in its fleet, and the state of its relay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub fleet: Option<String>,
    /// Problems that the user should know about, such as configuration errors, journal damage or a full disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What the daemon holds, as numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DaemonMetrics {
    /// Number of sessions.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub sessions: usize,
    /// Number of windows.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub windows: usize,
    /// Number of panes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub panes: usize,
    /// Number of attached clients.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub clients: usize,
    /// Number of agents in each state.
    #[schemars(schema_with = "counts")]
    pub agents: BTreeMap<String, usize>,
    /// Number of stored receipts in each state: one for each message and recipient.
    #[schemars(schema_with = "counts")]
    pub receipts: BTreeMap<String, usize>,
    /// Number of unread messages in all inboxes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub inbox_messages: usize,
    /// Size of their payloads, in bytes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub inbox_bytes: usize,
    /// Number of unread messages in the fullest inbox.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub largest_inbox_messages: usize,
    /// Number of messages that wait to be relayed to other hosts.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub outbox_messages: usize,
    /// Size of their payloads, in bytes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub outbox_bytes: usize,
    /// Number of leases that are held.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub leases: usize,
}

/// Numbers by name, as integers without `format: uint`.
fn counts(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object", "additionalProperties": { "type": "integer" } })
}

/// An empty reply: the request was carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {}

/// The start of a stream of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subscribed {
    /// Events after this id follow.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub after: u64,
}
