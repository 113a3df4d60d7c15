//! Messages between agents: their headers, recipients and delivery states; and leases. Payloads are not part of a
//! header: the journal stores them, and they are read on demand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::views::PaneCreated;
use crate::{
    FleetHost, IdempotencyKey, MessageId, MessageType, PaneId, SessionId, SessionName, SessionRef, Tag,
    Timestamp,
};

mod delivery_method;
mod payload;
mod target;

pub use delivery_method::{DeliveryMethod, NOTIFICATION_START};
pub use payload::Payload;
pub use target::{FleetGroup, Target};

/// The sender of a message, or the holder of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Sender {
    pub session: SessionId,
    /// The session's name at the time.
    pub name: SessionName,
    pub pane: PaneId,
    /// Whether the pane is only claimed: the sender's process does not run in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// A recipient of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Recipient {
    /// For a session on another host, an id that is derived from its name.
    pub session: SessionId,
    /// The session's name at the time; `host/session` for one on another host.
    pub name: SessionName,
    /// Where the session is, if it is on another host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteAddress>,
}

/// One or more sessions on other hosts. A message that is not for a group has at most one recipient on each other host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteAddress {
    /// The host; `None` for all hosts, until the relay has listed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<FleetHost>,
    /// The sessions there.
    #[serde(flatten)]
    pub to: RemoteTarget,
}

/// The sessions of another host that a message is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RemoteTarget {
    /// One session, by name or UUID.
    Session(SessionRef),
    /// Every session with this tag.
    Tag(Tag),
    /// Every session in a repository whose remote has this URL, as [`GitLocation`](crate::worktree::GitLocation)
    /// has it.
    Repository(String),
    /// A session that is to be created: the payload has the arguments of this verb.
    Start(RemoteStart),
}

/// The verb that a request to create a session on another host is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RemoteStart {
    /// `create-session`.
    CreateSession,
    /// `spawn-agent`.
    SpawnAgent,
}

impl RemoteTarget {
    /// Whether it stands for any number of sessions, which only their host knows.
    pub fn is_group(&self) -> bool {
        matches!(self, Self::Tag(_) | Self::Repository(_))
    }
}

/// Where a message from another host comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Origin {
    /// The host, as the relay authenticated it.
    pub host: FleetHost,
    /// The session there, to which an answer is sent; `None` for a person outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// A message without its payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct MessageHeader {
    pub message: MessageId,
    /// `None` for a sender outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Sender>,
    /// Whether the user sent it: no program in a pane and no agent's MCP server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_user: bool,
    /// The host that the message comes from, if it is another one. The sender's id is then derived from its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    pub target: Target,
    pub recipients: Vec<Recipient>,
    pub msg_type: MessageType,
    /// The size of its payload in bytes.
    pub bytes: usize,
    pub sent_at: Timestamp,
    pub expires_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<IdempotencyKey>,
    /// Whose key it is, if the sender is in no pane and is not a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_space: Option<u64>,
    /// The undelivered message that this one resends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resends: Option<MessageId>,
    /// Who resent it; `None` for a person outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resent_by: Option<Sender>,
    /// A hash of the payload, which shows whether a repeated key belongs to the same message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<u64>,
    /// Other addressees, whose inbox was full.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered: Vec<Undelivered>,
}

/// An addressee who did not get a message, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Undelivered {
    #[serde(flatten)]
    pub to: Recipient,
    pub reason: String,
}

/// The delivery state of a message for one recipient. Each state is reached only on evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DeliveryState {
    /// It is stored.
    #[default]
    Queued,
    /// It was relayed to the host of the recipient.
    Relayed,
    /// The recipient was shown it, or notified of it.
    Offered,
    /// The recipient has acknowledged it.
    Read,
    /// The recipient has answered it.
    Replied,
    /// It expired unread.
    Expired,
    /// The recipient can no longer read it.
    DeadLettered,
}

impl DeliveryState {
    /// Every state by its name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("queued", Self::Queued),
        ("relayed", Self::Relayed),
        ("offered", Self::Offered),
        ("read", Self::Read),
        ("replied", Self::Replied),
        ("expired", Self::Expired),
        ("dead_lettered", Self::DeadLettered),
    ];

    /// Whether it is still unread in the inbox.
    pub fn is_unread(self) -> bool {
        matches!(self, Self::Queued | Self::Relayed | Self::Offered)
    }

    /// Whether the recipient will never read it.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::Expired | Self::DeadLettered)
    }
}

impl std::fmt::Display for DeliveryState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Self::NAMES.iter().find(|(_, state)| state == self).map_or("", |(name, _)| name))
    }
}

impl std::str::FromStr for DeliveryState {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text.replace('-', "_"));
        let names = || Self::NAMES.map(|(name, _)| name).join(", ");
        found.map(|(_, state)| *state).ok_or_else(|| format!("`{text}` is not one of {}", names()))
    }
}

/// How a message was offered to its recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OfferedVia {
    /// The recipient read it with `poll-messages`.
    Polled,
    /// It is the answer that the recipient was waiting for.
    Awaited,
    /// A hook notified the agent of it.
    Hook,
    /// The MCP server pushed a notification into the agent's own inbox.
    Pushed,
    /// A notification was typed into the pane, and the agent accepted it.
    Typed,
}

impl OfferedVia {
    /// Whether the recipient got the message itself, not only a notification.
    pub fn is_shown(self) -> bool {
        matches!(self, Self::Polled | Self::Awaited)
    }
}

/// The delivery status of a message for one recipient.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Receipt {
    pub state: DeliveryState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<OfferedVia>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_at: Option<Timestamp>,
    /// When it was acknowledged, expired or dead-lettered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<MessageId>,
    /// Why it was not delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For a message from another host: the last state that was relayed back to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<DeliveryState>,
    /// The message that resent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resent_as: Option<MessageId>,
    /// The session that was created, if the message was a request for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Box<StartedSession>>,
    /// For a recipient on another host: how far the message has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relay: Option<Box<RelayProgress>>,
    /// The recipient, if it was found only after the message was sent to its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Box<Recipient>>,
    /// Whether the recipient was a group, in whose place its members have receipts now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced: bool,
}

/// How far a message to another host has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayProgress {
    /// When it was relayed last.
    pub relayed_at: Timestamp,
    /// How often it was relayed.
    pub relays: u32,
    /// Whether the other host has said that it has stored it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
}

/// A session that was created for a session on another host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct StartedSession {
    /// The session's name on its host.
    pub session_name: SessionName,
    /// Its pane.
    #[serde(flatten)]
    pub pane: PaneCreated,
}

/// The messages that a session is notified of, and how. Its inbox holds all messages in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Subscription {
    /// Message types, where `*` matches anything; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub msg_types: Vec<String>,
    /// Names, ids or tags of senders; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Delivery methods; empty means the default ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliver: Vec<DeliveryMethod>,
    /// The pane into which notifications are typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<PaneId>,
}

impl Subscription {
    /// The delivery methods in effect.
    pub fn ways(&self) -> &[DeliveryMethod] {
        if self.deliver.is_empty() { &DeliveryMethod::DEFAULT } else { &self.deliver }
    }
}
