//! The header of a message as it is kept in memory. What many messages have in common (who sends which type to whom) is
//! kept once, and what few have is boxed.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use fugue_protocol::agent_messages::{MessageHeader, Origin, Recipient, Sender, Target, Undelivered};
use fugue_protocol::{IdempotencyKey, MessageId, MessageType, SessionId, Timestamp};

/// The header of a message, without its payload.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are those of `MessageHeader`")]
pub struct StoredHeader {
    pub message: MessageId,
    pub bytes: usize,
    pub sent_at: Timestamp,
    pub expires_at: Timestamp,
    pub reply_to: Option<MessageId>,
    pub key: Option<IdempotencyKey>,
    pub digest: Option<u64>,
    route: Arc<Route>,
    rare: Option<Box<RareHeaderParts>>,
}

/// The way of a message: its sender, its recipients and its type.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are those of `MessageHeader`")]
pub struct Route {
    pub from: Option<Sender>,
    pub from_user: bool,
    pub origin: Option<Origin>,
    pub target: Target,
    pub recipients: Vec<Recipient>,
    pub msg_type: MessageType,
    pub key_space: Option<u64>,
}

/// The parts of a header that hardly any message has.
#[derive(Debug, Clone, PartialEq)]
struct RareHeaderParts {
    resends: Option<MessageId>,
    resent_by: Option<Sender>,
    undelivered: Vec<Undelivered>,
}

impl StoredHeader {
    /// The message that this one resends.
    pub(crate) fn resends(&self) -> Option<MessageId> {
        self.rare.as_ref()?.resends
    }

    /// Who resent it.
    pub(crate) fn resent_by(&self) -> Option<&Sender> {
        self.rare.as_ref()?.resent_by.as_ref()
    }

    /// Other addressees, who did not get it.
    pub(crate) fn undelivered(&self) -> &[Undelivered] {
        self.rare.as_ref().map_or(&[], |rare| &rare.undelivered)
    }

    /// The recipients, to change them for this message only.
    pub(super) fn recipients_mut(&mut self) -> &mut Vec<Recipient> {
        &mut Arc::make_mut(&mut self.route).recipients
    }

    /// The whole header, as it is stored on disk.
    pub fn to_header(&self) -> MessageHeader {
        let Route { from, from_user, origin, target, recipients, msg_type, key_space } =
            Route::clone(&self.route);
        MessageHeader {
            message: self.message,
            from,
            from_user,
            origin,
            target,
            recipients,
            msg_type,
            bytes: self.bytes,
            sent_at: self.sent_at,
            expires_at: self.expires_at,
            reply_to: self.reply_to,
            key: self.key.clone(),
            key_space,
            resends: self.resends(),
            resent_by: self.resent_by().cloned(),
            digest: self.digest,
            undelivered: self.undelivered().to_vec(),
        }
    }
}

impl From<MessageHeader> for StoredHeader {
    fn from(header: MessageHeader) -> Self {
        let MessageHeader { from, from_user, origin, target, mut recipients, msg_type, key_space, .. } =
            header;
        let MessageHeader { message, bytes, sent_at, expires_at, reply_to, key, digest, .. } = header;
        let MessageHeader { resends, resent_by, undelivered, .. } = header;
        recipients.shrink_to_fit();
        let is_rare = resends.is_some() || resent_by.is_some() || !undelivered.is_empty();
        let rare = is_rare.then(|| Box::new(RareHeaderParts { resends, resent_by, undelivered }));
        let route = Arc::new(Route { from, from_user, origin, target, recipients, msg_type, key_space });
        Self { message, bytes, sent_at, expires_at, reply_to, key, digest, route, rare }
    }
}

impl Deref for StoredHeader {
    type Target = Route;

    fn deref(&self) -> &Route {
        &self.route
    }
}

/// The last route of a message between each two sessions.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownRoutes {
    routes: BTreeMap<(Option<SessionId>, Option<SessionId>), Weak<Route>>,
    /// How many there were after those of forgotten messages were last removed.
    living: usize,
}

/// The fewest routes that are looked through for those of forgotten messages.
const FEW: usize = 64;

impl KnownRoutes {
    /// Makes a header use the route of an earlier one, if it is the same.
    pub(super) fn share(&mut self, header: &mut StoredHeader) {
        let from = header.from.as_ref().map(|from| from.session);
        let ends = (from, header.recipients.first().map(|to| to.session));
        match self.routes.get(&ends).and_then(Weak::upgrade) {
            Some(known) if known == header.route => header.route = known,
            _ => {
                self.routes.insert(ends, Arc::downgrade(&header.route));
                self.remove_dead();
            }
        }
    }

    /// Removes routes that no message has any more, once that may be half of them.
    fn remove_dead(&mut self) {
        if self.routes.len() > FEW.max(2 * self.living) {
            self.routes.retain(|_, route| route.strong_count() > 0);
            self.living = self.routes.len();
        }
    }
}

/// Not part of the state: two stores with the same messages are the same.
impl PartialEq for KnownRoutes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn header(number: u8, msg_type: &str) -> MessageHeader {
        let (from, to) = (SessionId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        let header = json!({
            "message": MessageId::from_bytes([number; 16]),
            "from": { "session": from, "name": "a", "pane": "00000000-0000-0000-0000-000000000001" },
            "target": { "session": "b" },
            "recipients": [{ "session": to, "name": "b" }],
            "msg_type": msg_type,
            "bytes": 3,
            "sent_at": number,
            "expires_at": 9,
        });
        serde_json::from_value(header).expect("a header")
    }

    #[test]
    fn a_header_is_the_same_after_it_was_kept() {
        let usual = header(1, "text");
        let undelivered = Undelivered { to: usual.recipients[0].clone(), reason: "full".into() };
        let rare = MessageHeader {
            resends: Some(usual.message),
            resent_by: usual.from.clone(),
            undelivered: vec![undelivered],
            digest: Some(7),
            ..header(2, "text")
        };
        for header in [usual, rare] {
            assert_eq!(StoredHeader::from(header.clone()).to_header(), header);
        }
    }

    #[test]
    fn messages_of_one_kind_between_two_sessions_share_their_route() {
        let mut routes = KnownRoutes::default();
        let mut keep = |number, msg_type| {
            let mut header = StoredHeader::from(header(number, msg_type));
            routes.share(&mut header);
            header
        };
        let [one, two, other] = [keep(1, "text"), keep(2, "text"), keep(3, "question")];
        assert!(Arc::ptr_eq(&one.route, &two.route) && !Arc::ptr_eq(&one.route, &other.route));
        assert_eq!(other.msg_type.as_str(), "question");
    }

    #[test]
    fn routes_of_forgotten_messages_are_forgotten() {
        let mut routes = KnownRoutes::default();
        for number in 0..=255 {
            let mut gone = header(number, "text");
            gone.recipients[0].session = SessionId::from_bytes([number; 16]);
            routes.share(&mut gone.into());
        }
        assert!(routes.routes.len() <= FEW + 1, "{} routes", routes.routes.len());
    }
}
