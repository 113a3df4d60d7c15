//! Messages between agents, as words: to whom, what, and what became of it. Bodies are not here: they lie in the
//! journal's file and are read when somebody reads them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IdempotencyKey, MessageId, MessageType, PaneId, SessionId, SessionName, Timestamp};

mod payload;
mod target;
mod ways;

pub use payload::Payload;
pub use target::Target;
pub use ways::DeliveryMethod;

/// Who sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Sender {
    pub session: SessionId,
    /// What the session was called then.
    pub name: SessionName,
    pub pane: PaneId,
    /// The pane is only what the sender says, since its process is in no pane.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// Who receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Recipient {
    pub session: SessionId,
    /// What the session was called then.
    pub name: SessionName,
}

/// A message was sent: all of it but its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct MessageHeader {
    pub message: MessageId,
    /// None is a person outside every pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Sender>,
    pub target: Target,
    pub recipients: Vec<Recipient>,
    pub msg_type: MessageType,
    /// Bytes of its payload.
    pub bytes: usize,
    pub sent_at: Timestamp,
    pub expires_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<IdempotencyKey>,
    /// The lost message that this one is again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resends: Option<MessageId>,
    /// Who sent it again; none is a person outside every pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resent_by: Option<Sender>,
    /// The payload in short: by this it is known that a key which comes again brings the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<u64>,
    /// Those it was meant for too, who had no room for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered: Vec<Undelivered>,
}

/// Who did not get a message that others got, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Undelivered {
    #[serde(flatten)]
    pub to: Recipient,
    pub reason: String,
}

/// OfferedVia far a message has come with one recipient. Each step has its evidence; nothing is said without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DeliveryState {
    /// It is stored.
    #[default]
    Queued,
    /// It was put before the recipient.
    Offered,
    /// The recipient has acknowledged it.
    Read,
    /// The recipient has answered it.
    Replied,
    /// Its time ran out before it was read.
    Expired,
    /// It can no longer be read by the recipient.
    DeadLettered,
}

impl DeliveryState {
    /// Every state, by its name.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("queued", Self::Queued),
        ("offered", Self::Offered),
        ("read", Self::Read),
        ("replied", Self::Replied),
        ("expired", Self::Expired),
        ("dead_lettered", Self::DeadLettered),
    ];

    /// Whether it still lies in the inbox.
    pub fn is_unread(self) -> bool {
        matches!(self, Self::Queued | Self::Offered)
    }

    /// Whether the recipient will never have read it.
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
        found.map(|(_, state)| *state).ok_or_else(|| format!("`{text}` is none of {}", names()))
    }
}

/// In which way a message was put before its recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OfferedVia {
    /// It was asked for, by `poll-messages`.
    Polled,
    /// It is the answer that its recipient was waiting for.
    Awaited,
    /// A hook of the agent's told it that there is a message.
    Hook,
    /// Its bridge put a line that tells of it into the agent's own inbox.
    Pushed,
    /// A line that tells of it was typed into its pane, and the agent took it.
    Typed,
}

impl OfferedVia {
    /// Whether the message itself was put before its recipient, not only the news of it.
    pub fn is_shown(self) -> bool {
        matches!(self, Self::Polled | Self::Awaited)
    }
}

/// What became of a message with one recipient.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Receipt {
    pub state: DeliveryState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<OfferedVia>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_at: Option<Timestamp>,
    /// When it was read, or was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<MessageId>,
    /// Why it was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// As which message it was sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resent_as: Option<MessageId>,
}

/// Which messages a session wants to be told of, and in which ways. All of them lie in its inbox either way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Subscription {
    /// Types, where `*` stands for anything; none is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub msg_types: Vec<String>,
    /// Names, ids or tags of senders; none is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// In which ways; none is the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliver: Vec<DeliveryMethod>,
    /// The pane that asked for a line to be typed into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<PaneId>,
}

impl Subscription {
    /// In which ways the session is told.
    pub fn ways(&self) -> &[DeliveryMethod] {
        if self.deliver.is_empty() { &DeliveryMethod::USUAL } else { &self.deliver }
    }
}

/// Why a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaseEnd {
    /// Its owner gave it back.
    Released,
    /// Its time ran out.
    Expired,
    /// The pane that held it is gone, or its program ended.
    OwnerGone,
    /// A person took it away.
    TakenAway,
}

/// A lease: whoever has it may work on what it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Lease {
    pub name: crate::LeaseName,
    /// None is a person outside every pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Sender>,
    pub claimed_at: Timestamp,
    pub expires_at: Timestamp,
    /// Greater than that of every lease before it: what is written with a smaller one comes too late.
    pub fence: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// By this whoever claimed it from outside is known again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<IdempotencyKey>,
}

/// Where a pane's directory is, as git tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GitLocation {
    /// The repository, the same for all its worktrees.
    pub repository: String,
    /// The top of the worktree.
    pub worktree: String,
    /// The branch; left out when none is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub branch: Option<String>,
}
