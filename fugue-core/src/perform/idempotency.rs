//! Idempotency keys: a message that is sent again under its key gets the first reply again, and a key that comes with
//! different content is refused.

use fugue_protocol::Refusal;
use fugue_protocol::views::Sent;
use serde_json::Value;

use super::message_draft::{Draft, Posted, undelivered};
use crate::decision::PayloadSource;
use crate::inbox::{StoredHeader, StoredMessage};
use crate::stable_hash;
use crate::world::World;

impl Draft {
    /// Returns the message that was sent under this key before; refuses if the content differs.
    pub(super) fn sent_before(&self, world: &World) -> Result<Option<Posted>, Refusal> {
        let own = self.from.as_ref().map(|from| from.session);
        let Some(key) = &self.key else { return Ok(None) };
        let Some(before) = world.messages.sent_before(own, (key, self.key_space)) else { return Ok(None) };
        match self.differs(&before.header) {
            None => Ok(Some(again(before))),
            Some(differs) => {
                let (key, message) = (key.to_string(), before.header.message);
                Err(Refusal::KeyReused { key, message, differs })
            }
        }
    }

    /// Returns the first part in which it differs from the earlier message.
    fn differs(&self, before: &StoredHeader) -> Option<&'static str> {
        let digest = before.digest.zip(self.digest());
        let parts = [
            ("type", self.msg_type != before.msg_type),
            // The session that is replied to may have been renamed since.
            ("target", self.target != before.target && !self.implied),
            ("reply_to", self.reply_to != before.reply_to),
            ("payload", self.bytes != before.bytes || digest.is_some_and(|(one, other)| one != other)),
        ];
        parts.into_iter().find(|(_, differs)| *differs).map(|(part, _)| part)
    }

    /// A digest of the payload; needed only with a key.
    pub(super) fn digest(&self) -> Option<u64> {
        match (&self.key, &self.payload) {
            (Some(_), PayloadSource::Text(text)) => Some(stable_hash::of(&ordered(text))),
            _ => None,
        }
    }
}

/// The payload with sorted fields: the same object can be written in several ways.
fn ordered(text: &str) -> String {
    let mut payload: Value = serde_json::from_str(text).unwrap_or_default();
    payload.sort_all_objects();
    payload.to_string()
}

/// The reply to the first message, marked as a duplicate.
fn again(before: &StoredMessage) -> Posted {
    let sent = Sent {
        message_id: before.header.message,
        recipients: before.recipients(),
        undelivered: before.header.undelivered().iter().map(undelivered).collect(),
        duplicate: true,
        outcome: None,
        answer: None,
        answers: Vec::new(),
        unanswered: Vec::new(),
        circle: Vec::new(),
    };
    Posted { event: None, payload: None, sent }
}
