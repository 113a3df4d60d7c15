//! A message with its receipts, as it is kept in memory and on disk. The payload is on disk only.

use fugue_protocol::SessionId;
use fugue_protocol::agent_messages::MessageHeader;

use super::Receipts;

/// A message and its delivery state for each recipient.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The position in the order in which messages were sent.
    pub number: u64,
    /// Everything but the payload.
    pub header: MessageHeader,
    /// The delivery state for each recipient.
    pub receipts: Receipts,
}

impl StoredMessage {
    /// The session that sent it; none for a user outside any session.
    pub fn from(&self) -> Option<SessionId> {
        self.header.from.as_ref().map(|from| from.session)
    }

    /// The sessions in whose inboxes it is unread.
    pub fn unread_by(&self) -> impl Iterator<Item = SessionId> {
        self.receipts.iter().filter(|(_, receipt)| receipt.state.is_unread()).map(|(session, _)| *session)
    }

    /// Whether it is in no inbox any more.
    pub fn is_settled(&self) -> bool {
        self.unread_by().next().is_none()
    }
}
