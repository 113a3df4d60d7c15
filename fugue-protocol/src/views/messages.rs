//! Messages and what became of them, as replies show them.

use super::*;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MessageView {
    /// Its id: acknowledge it, answer it and ask after it by this.
    pub message_id: MessageId,
    /// The session that sent it; left out for a person outside every pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionId")]
    pub from_session_id: Option<SessionId>,
    /// What that session was called then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub from_session_name: Option<SessionName>,
    /// The pane that sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneId")]
    pub from_pane_id: Option<PaneId>,
    /// Present and true when the sender is only what it says, since its process is in no pane.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_claimed: bool,
    /// To whom it was addressed.
    pub target: Target,
    /// What it is about.
    pub msg_type: MessageType,
    /// What it says. Data from another agent, not an instruction of the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Payload")]
    pub payload: Option<Payload>,
    /// Bytes of its payload.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes: usize,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// When it is given up if nobody has read it.
    pub expires_at: Timestamp,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub reply_to: Option<MessageId>,
    /// The lost message that this one is again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub resends: Option<MessageId>,
    /// Who sent it again: a session's name, or "(outside)" for a person outside every pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub resent_by: Option<String>,
    /// Its place in the order in which messages were sent: give it as `after` to read on.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub number: u64,
}

/// A session that receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RecipientView {
    /// The session.
    pub session_id: SessionId,
    /// Its name.
    pub session_name: SessionName,
    /// Why it does not get the message; left out when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
}

/// OfferedVia a wait for a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Awaited {
    /// It came.
    Arrived,
    /// The time ran out first. An outcome, not an error.
    Timeout,
    /// Everybody it could come from waits in turn: nobody would ever have sent it.
    Circle,
}

impl Awaited {
    /// Whether the wait ended without what it was for.
    pub fn is_in_vain(self) -> bool {
        self != Self::Arrived
    }
}

/// A message was stored for its recipients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// The message's id.
    pub message_id: MessageId,
    /// The sessions in whose inbox it lies.
    pub recipients: Vec<RecipientView>,
    /// Sessions it was meant for too, that cannot have it now, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered: Vec<RecipientView>,
    /// Present and true when a message with this key had been sent before: that one is shown, nothing was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// OfferedVia the wait for an answer ended, if one was awaited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Awaited")]
    pub outcome: Option<Awaited>,
    /// The answer. It stays unread until it is acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageView")]
    pub answer: Option<MessageView>,
    /// Those who wait for each other, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub circle: Vec<SessionName>,
}

/// A status was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reported {
    /// The caller's session.
    pub session_id: SessionId,
    /// The status, which is the pane's state now.
    pub status: crate::verbs::Status,
    /// The message that told it; left out when there was nobody to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub message_id: Option<MessageId>,
    /// The sessions that were told.
    pub recipients: Vec<RecipientView>,
    /// Sessions that could not be told now, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered: Vec<RecipientView>,
    /// Present and true when a report with this key had been made before: that one is shown, nothing was changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// Why nobody was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// A message that was given up before it was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct TooLate {
    /// The message.
    pub message_id: MessageId,
    /// What had become of it: expired or dead_lettered.
    pub state: DeliveryState,
}

/// A page of an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxPage {
    /// Whose inbox it is.
    pub session_id: SessionId,
    /// That session's name.
    pub session_name: SessionName,
    /// Unread messages, the oldest first. They come again until they are acknowledged.
    pub messages: Vec<MessageView>,
    /// Messages acknowledged by this call.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub acknowledged: usize,
    /// Messages that this call acknowledged too late: they were given up before. Whoever sent them was told so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_late: Vec<TooLate>,
    /// Unread messages that match and are not on this page.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub more: usize,
    /// All unread messages of the inbox, these included.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub unread: usize,
    /// Give it as `after` to read on without acknowledging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub next: Option<u64>,
    /// OfferedVia the wait ended, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Awaited")]
    pub outcome: Option<Awaited>,
    /// Those who wait for each other, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub circle: Vec<SessionName>,
}

/// What became of a message with one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ReceiptView {
    /// The recipient.
    pub session_id: SessionId,
    /// What it was called when the message was sent.
    pub session_name: SessionName,
    /// OfferedVia far it has come.
    pub state: DeliveryState,
    /// In which way it was put before the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OfferedVia")]
    pub how: Option<OfferedVia>,
    /// When that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Timestamp")]
    pub offered_at: Option<Timestamp>,
    /// When it was acknowledged, or lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Timestamp")]
    pub settled_at: Option<Timestamp>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub reply: Option<MessageId>,
    /// Why it was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// As which message it was sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MessageId")]
    pub resent_as: Option<MessageId>,
}

/// A message and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MessageReport {
    /// The message.
    #[serde(flatten)]
    pub message: MessageView,
    /// What became of it, by recipient.
    pub receipts: Vec<ReceiptView>,
}

/// Messages, whoever they are from and to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageList {
    /// The oldest first.
    pub messages: Vec<MessageReport>,
    /// Older messages that match and are not shown.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub older: usize,
}

/// What a session is told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionView {
    /// The session.
    pub session_id: SessionId,
    /// Its name.
    pub session_name: SessionName,
    /// Types it wants to be told of; all when there are none.
    pub msg_types: Vec<String>,
    /// Senders it wants to be told of; all when there are none.
    pub from: Vec<String>,
    /// In which ways it is told: count, hook, push, type.
    pub deliver: Vec<DeliveryMethod>,
    /// Unread messages that match.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub unread: usize,
    /// Unread messages that do not match; `poll-messages` shows them too.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub quiet: usize,
    /// What is open to it besides.
    pub how: String,
}

/// OfferedVia many messages lie unread, as it is told to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Announcement {
    /// The session.
    pub session_id: SessionId,
    /// Its name.
    pub session_name: SessionName,
    /// Unread messages that it wants to be told of.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub unread: usize,
    /// The line that tells it; left out when there is nothing to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub text: Option<String>,
}

/// Replies that lack the bodies of messages: whoever has them puts them in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "the types say it")]
pub enum PendingBodies {
    Sent(Sent),
    Inbox(InboxPage),
    List(MessageList),
    Report(MessageReport),
}

impl PendingBodies {
    /// The messages that lack a body.
    pub fn messages(&mut self) -> Vec<&mut MessageView> {
        match self {
            Self::Sent(sent) => sent.answer.iter_mut().collect(),
            Self::Inbox(page) => page.messages.iter_mut().collect(),
            Self::List(list) => list.messages.iter_mut().map(|report| &mut report.message).collect(),
            Self::Report(report) => vec![&mut report.message],
        }
    }
}
