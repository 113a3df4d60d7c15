//! Messages and receipts on their way between hosts.

use super::*;
use crate::agent_messages::{RemoteTarget, StartedSession};
use crate::fleet_host::FleetHost;

/// A message for sessions on another host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RemoteMessage {
    /// The other host: the recipient's in an outbox.
    pub host: FleetHost,
    /// The recipients on that host: a session by name or UUID, or a group.
    #[serde(flatten)]
    pub to: RemoteTarget,
    /// The message, as its sender's host shows it.
    pub message: MessageView,
    /// How often it was relayed before.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub relays: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(relays: &u32) -> bool {
    *relays == 0
}

/// What became of a message on the host of its recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RemoteReceipt {
    /// The host that sent the message.
    pub host: FleetHost,
    /// The message.
    pub message_id: MessageId,
    /// The recipient's name on its host, if the message was for a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub session: Option<SessionName>,
    /// Whether the host has no recipients: no session of it belongs to the group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nobody: bool,
    /// Delivery state.
    pub state: DeliveryState,
    /// How the message was offered to the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OfferedVia")]
    pub how: Option<OfferedVia>,
    /// When the message was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Timestamp")]
    pub offered_at: Option<Timestamp>,
    /// When the message was acknowledged, expired or was dead-lettered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Timestamp")]
    pub settled_at: Option<Timestamp>,
    /// Id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub reply: Option<MessageId>,
    /// Why the message was not delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// The session that was created, if the message was a request for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StartedSession")]
    pub started: Option<Box<StartedSession>>,
}

/// Messages and receipts that wait to be relayed to other hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutboxPage {
    /// Messages, oldest first. They are returned again until they are confirmed.
    pub messages: Vec<RemoteMessage>,
    /// Receipts of messages from other hosts. They are returned again until they are confirmed.
    pub receipts: Vec<RemoteReceipt>,
    /// Messages for a group on all hosts, which become messages for each host with `expand-outbox`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<MessageId>,
    /// Number of messages in the outbox, including those on this page.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub waiting: usize,
    /// Size of their payloads, in bytes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub waiting_bytes: usize,
}

/// What became of messages from another host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoteDeliveries {
    /// Number of messages that are now stored in an inbox.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub stored: usize,
    /// Number of messages that had been stored before.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub duplicates: usize,
    /// Messages that cannot be delivered, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedDelivery>,
}

/// A message from another host that cannot be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RefusedDelivery {
    /// The message.
    pub message_id: MessageId,
    /// Why it cannot be delivered.
    pub reason: String,
    /// Whether the message was for a group to which no session belongs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nobody: bool,
}
