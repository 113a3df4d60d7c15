//! Keys of senders that send again: what was stored under a key is told as it was then, and a key that brings something
//! else is refused.

use fugue_protocol::Refusal;
use fugue_protocol::orchestration::{MessageHeader, Undelivered};
use fugue_protocol::views::{RecipientView, Sent};
use serde_json::Value;

use super::message_draft::{Draft, Posted};
use crate::decision::PayloadSource;
use crate::inbox::StoredMessage;
use crate::world::World;

impl Draft {
    /// The same message as it was sent before under this key; a refusal if it is not the same.
    pub(super) fn sent_before(&self, world: &World) -> Result<Option<Posted>, Refusal> {
        let own = self.from.as_ref().map(|from| from.session);
        let Some(key) = &self.key else { return Ok(None) };
        let Some(before) = world.messages.sent_before(own, key) else { return Ok(None) };
        match self.differs(&before.header) {
            None => Ok(Some(again(before))),
            Some(differs) => {
                let (key, message) = (key.to_string(), before.header.message);
                Err(Refusal::KeyReused { key, message, differs })
            }
        }
    }

    /// In what it is another message than that one.
    fn differs(&self, before: &MessageHeader) -> Option<&'static str> {
        let digest = before.digest.zip(self.digest());
        let parts = [
            ("type", self.msg_type != before.msg_type),
            // Whose message is answered may have another name now.
            ("target", self.target != before.target && !self.implied),
            ("reply_to", self.reply_to != before.reply_to),
            ("payload", self.bytes != before.bytes || digest.is_some_and(|(one, other)| one != other)),
        ];
        parts.into_iter().find(|(_, differs)| *differs).map(|(part, _)| part)
    }

    /// The payload in short, where it matters.
    pub(super) fn digest(&self) -> Option<u64> {
        match (&self.key, &self.payload) {
            (Some(_), PayloadSource::Text(text)) => Some(digest(&ordered(text))),
            _ => None,
        }
    }
}

/// The payload with its fields in order: the same object may be written in several ways.
fn ordered(text: &str) -> String {
    let mut payload: Value = serde_json::from_str(text).unwrap_or_default();
    payload.sort_all_objects();
    payload.to_string()
}

/// FNV-1a: it keeps apart what one sender confuses, and is the same in every version.
fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What was stored then, and for whom.
fn again(before: &StoredMessage) -> Posted {
    let sent = Sent {
        message_id: before.header.message,
        recipients: before.recipients(),
        undelivered: before.header.undelivered.iter().map(undelivered).collect(),
        duplicate: true,
        outcome: None,
        answer: None,
        circle: Vec::new(),
    };
    Posted { event: None, payload: None, sent }
}

/// Who had no room for it, as replies show that.
pub(super) fn undelivered(missed: &Undelivered) -> RecipientView {
    RecipientView {
        session_id: missed.to.session,
        session_name: missed.to.name.clone(),
        reason: Some(missed.reason.clone()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_digest_is_the_same_in_every_version() {
        assert_eq!(super::digest(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::digest("foobar"), 0x8594_4171_f739_67e8);
    }
}
