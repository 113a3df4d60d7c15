//! The daemon itself, as replies show it.

use super::*;

/// OfferedVia the daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// Its process id.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub pid: u32,
    /// Process id of the keeper, which holds the terminals.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub keeper_pid: u32,
    /// Its version.
    pub version: String,
    /// The protocol it speaks.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub protocol: u32,
    /// Milliseconds since it was started.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub uptime_ms: u64,
    /// Its sessions.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub sessions: usize,
    /// Its windows.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub windows: usize,
    /// Its panes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub panes: usize,
    /// Connections, this one included.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub clients: usize,
    /// Number of the newest event in the journal.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub last_event: u64,
    /// Its socket.
    pub socket: String,
    /// What went wrong at the last start, if anything did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Done, with nothing more to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {}

/// Where a stream of events begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subscribed {
    /// Events after this one follow.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub after: u64,
}
