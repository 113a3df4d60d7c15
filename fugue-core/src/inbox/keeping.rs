//! A message with its receipts, as it is kept in memory and on the disk.

use std::collections::BTreeMap;

use fugue_protocol::SessionId;
use fugue_protocol::orchestration::{MessageHeader, Receipt};

use super::Mail;

/// A message and what became of it with each recipient.
#[derive(Debug, Clone, PartialEq)]
pub struct Letter {
    /// Its place in the order in which messages were sent.
    pub number: u64,
    /// All of it but its body.
    pub envelope: MessageHeader,
    /// What became of it.
    pub receipts: BTreeMap<SessionId, Receipt>,
}

impl Letter {
    /// The session that sent it; none for a person outside.
    pub fn from(&self) -> Option<SessionId> {
        self.envelope.from.as_ref().map(|from| from.session)
    }

    /// In whose inboxes it still lies.
    pub fn waits_for(&self) -> impl Iterator<Item = SessionId> {
        self.receipts.iter().filter(|(_, receipt)| receipt.state.is_unread()).map(|(session, _)| *session)
    }

    /// Whether nobody will read it any more.
    pub fn is_settled(&self) -> bool {
        self.waits_for().next().is_none()
    }
}

/// What the disk has of a message: its number, its envelope, its receipts.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the line above says it")]
pub struct Stored {
    pub number: u64,
    pub envelope: MessageHeader,
    pub receipts: BTreeMap<SessionId, Receipt>,
}

impl Mail {
    /// The mail as the disk has it; numbers go on after `last`.
    pub fn of(letters: impl IntoIterator<Item = Stored>, last: u64) -> Self {
        let mut mail = Self::default();
        for Stored { number, envelope, receipts } in letters {
            mail.put(Letter { number, envelope, receipts });
        }
        mail.last = mail.last.max(last);
        mail
    }
}
