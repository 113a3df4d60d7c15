//! A message with its receipts, as it is kept in memory and on disk. The payload is on disk only.

use fugue_protocol::SessionId;
use fugue_protocol::agent_messages::{DeliveryState, MessageHeader, Receipt};

use super::{Receipts, StoredHeader};

/// A message and its delivery state for each recipient.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The position in the order in which messages were sent.
    pub number: u64,
    /// Everything but the payload.
    pub header: StoredHeader,
    /// The delivery state for each recipient.
    pub receipts: Receipts,
}

impl StoredMessage {
    /// The message with this number.
    pub fn new(number: u64, header: MessageHeader, receipts: Receipts) -> Self {
        Self { number, header: header.into(), receipts }
    }

    /// The session that sent it; none for a user outside any session.
    pub fn from(&self) -> Option<SessionId> {
        self.header.from.as_ref().map(|from| from.session)
    }

    /// The sessions in whose inboxes it is unread.
    pub fn unread_by(&self) -> impl Iterator<Item = SessionId> {
        let is_unread = |receipt: &Receipt| receipt.state.is_unread() && !receipt.replaced;
        self.receipts.iter().filter(move |(_, receipt)| is_unread(receipt)).map(|(session, _)| *session)
    }

    /// The delivery states of its recipients.
    pub fn states(&self) -> impl Iterator<Item = DeliveryState> {
        self.receipts.values().filter(|receipt| !receipt.replaced).map(|receipt| receipt.state)
    }

    /// Brings the recipients in line with the receipts: members of groups that were found since the message was sent
    /// have taken the places of the groups.
    pub(super) fn update_recipients(&mut self) {
        let Self { header, receipts, .. } = self;
        if receipts.values().all(|receipt| !receipt.replaced && receipt.found.is_none()) {
            return;
        }
        let recipients = header.recipients_mut();
        recipients.retain(|to| receipts.get(&to.session).is_none_or(|receipt| !receipt.replaced));
        for found in
            receipts.values().filter(|receipt| !receipt.replaced).filter_map(|it| it.found.as_deref())
        {
            if !recipients.contains(found) {
                recipients.push(found.clone());
            }
        }
    }

    /// Whether it is in no inbox any more.
    pub fn is_settled(&self) -> bool {
        self.unread_by().next().is_none()
    }
}
