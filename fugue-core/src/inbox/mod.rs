//! The message store: every message that is kept, the inboxes it is in, and its receipts. It has headers only; payloads
//! are on disk. Only `evolve` changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use fugue_protocol::{IdempotencyKey, MessageId, SessionId, Timestamp, limits};

mod changes;
mod message_views;
mod outbox;
mod receipts;
mod stored_header;
mod stored_message;

pub use receipts::Receipts;
pub use stored_header::{Route, StoredHeader};
pub use stored_message::StoredMessage;

use outbox::Outbox;
pub(crate) use outbox::OutboxFilter;
use stored_header::KnownRoutes;

/// How many settled messages are kept, for callers that ask for their delivery state.
pub const KEPT: usize = 10_000;

/// The maximum size of their payloads.
pub const KEPT_BYTES: usize = 64 << 20;

/// How many messages are dropped at once when there are too many, so that it happens rarely.
pub const SLACK: usize = 512;

/// A sender for idempotency keys and rate limits: its session, or none for a user outside.
type From = Option<SessionId>;

/// The sender of a message, as far as the room in an inbox depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InboxSender {
    /// A user outside any session.
    User,
    /// An agent, and its session if it is in one.
    Agent(From),
}

/// An inbox without room for a message: what it holds, of everyone or of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FullInbox {
    pub(crate) messages: usize,
    pub(crate) bytes: usize,
    /// Whether only the sender's share is used up.
    pub(crate) is_share: bool,
}

/// The hash of a sender and its idempotency key.
fn key_hash(from: From, key: &IdempotencyKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    (from, key.as_str()).hash(&mut hasher);
    hasher.finish()
}

/// All messages that are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageStore {
    /// Messages by number, in the order in which they were sent. In boxes, since half of each node of the tree is empty
    /// when the numbers only rise.
    messages: BTreeMap<u64, Box<StoredMessage>>,
    numbers: BTreeMap<MessageId, u64>,
    inboxes: BTreeMap<SessionId, Inbox>,
    /// The messages that were sent with an idempotency key, by its hash: the key itself is in the message.
    keys: BTreeSet<(u64, u64)>,
    /// The expiry times of unread messages.
    expiring: BTreeSet<(Timestamp, u64)>,
    /// The numbers of messages that are in no inbox any more.
    settled: BTreeSet<u64>,
    settled_bytes: usize,
    /// The recent broadcasts of each sender.
    broadcasts: BTreeMap<From, VecDeque<Timestamp>>,
    /// What is to be relayed to other hosts.
    outbox: Outbox,
    /// The routes that messages share.
    routes: KnownRoutes,
    /// The number of the newest message.
    last: u64,
}

/// The unread messages of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inbox {
    unread: BTreeSet<u64>,
    bytes: usize,
}

impl MessageStore {
    /// The messages as they are on disk; new ones are numbered after `last`.
    pub fn from_stored(messages: impl IntoIterator<Item = StoredMessage>, last: u64) -> Self {
        let mut store = Self::default();
        messages.into_iter().for_each(|message| store.insert(message));
        store.last = store.last.max(last);
        store
    }

    /// Returns a message by its id.
    pub fn get(&self, message: MessageId) -> Option<&StoredMessage> {
        self.by_number(*self.numbers.get(&message)?)
    }

    fn by_number(&self, number: u64) -> Option<&StoredMessage> {
        self.messages.get(&number).map(Box::as_ref)
    }

    /// All messages, in the order in which they were sent.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &StoredMessage> {
        self.messages.values().map(Box::as_ref)
    }

    /// The unread messages of a session, the oldest first.
    pub fn unread(&self, session: SessionId) -> impl DoubleEndedIterator<Item = &StoredMessage> {
        let numbers = self.inboxes.get(&session).map(|inbox| &inbox.unread);
        numbers.into_iter().flatten().filter_map(|number| self.by_number(*number))
    }

    /// The number of unread messages of a session.
    pub fn count(&self, session: SessionId) -> usize {
        self.inboxes.get(&session).map_or(0, |inbox| inbox.unread.len())
    }

    /// The number and size of the unread messages in all inboxes, and the number of those in the fullest one.
    pub(crate) fn inbox_sizes(&self) -> (usize, usize, usize) {
        let inboxes = self.inboxes.values();
        inboxes.fold((0, 0, 0), |(messages, bytes, most), inbox| {
            let unread = inbox.unread.len();
            (messages + unread, bytes + inbox.bytes, most.max(unread))
        })
    }

    /// Returns what an inbox holds that has no room for a message of this size from this sender.
    pub(crate) fn is_full(&self, session: SessionId, by: InboxSender, bytes: usize) -> Option<FullInbox> {
        let inbox = self.inboxes.get(&session)?;
        let all = FullInbox { messages: inbox.unread.len(), bytes: inbox.bytes, is_share: false };
        let InboxSender::Agent(from) = by else {
            let most = limits::INBOX_MESSAGES + limits::INBOX_USER_MESSAGES;
            let most_bytes = limits::INBOX_BYTES + limits::INBOX_USER_BYTES;
            return (all.messages >= most || all.bytes + bytes > most_bytes).then_some(all);
        };
        let left = limits::INBOX_MESSAGES.saturating_sub(all.messages);
        let left_bytes = limits::INBOX_BYTES.saturating_sub(all.bytes);
        if left == 0 || bytes > left_bytes {
            return Some(all);
        }
        let own = self.unread(session).filter(|message| message.from() == from);
        let own = own.fold(FullInbox { messages: 0, bytes: 0, is_share: true }, |own, message| FullInbox {
            messages: own.messages + 1,
            bytes: own.bytes + message.header.bytes,
            ..own
        });
        // Whoever has sent nothing yet is never refused for its share.
        let is_used_up = own.messages + 1 > left || own.bytes + bytes > left_bytes;
        (own.messages > 0 && is_used_up).then_some(own)
    }

    /// The message that a sender sent with this key of its key space.
    pub(crate) fn sent_before(
        &self,
        from: From,
        (key, space): (&IdempotencyKey, Option<u64>),
    ) -> Option<&StoredMessage> {
        let hash = key_hash(from, key);
        let same =
            self.keys.range((hash, 0)..=(hash, u64::MAX)).filter_map(|(_, number)| self.by_number(*number));
        same.rev().find(|message| {
            let header = &message.header;
            message.from() == from && header.key.as_ref() == Some(key) && header.key_space == space
        })
    }

    /// How long a sender must wait until it may broadcast again, in milliseconds.
    pub(crate) fn must_pause(&self, from: From, now: Timestamp) -> Option<u64> {
        let recent = self.broadcasts.get(&from)?;
        let oldest = recent.len().checked_sub(limits::BROADCASTS).and_then(|at| recent.get(at))?;
        let free = oldest.millis() + limits::BROADCAST_WINDOW_MS;
        (free > now.millis()).then(|| free - now.millis())
    }

    /// The messages that have expired.
    pub(crate) fn overdue(&self, now: Timestamp) -> Vec<MessageId> {
        let due = self.expiring.iter().take_while(|(at, _)| *at <= now);
        due.filter_map(|(_, number)| Some(self.messages.get(number)?.header.message)).collect()
    }

    /// The time at which the next message expires.
    pub(crate) fn next_expiry(&self) -> Option<Timestamp> {
        self.expiring.first().map(|(at, _)| *at)
    }

    /// The messages to drop, the oldest first; none until the slack is used up.
    pub(crate) fn too_many(&self) -> Vec<MessageId> {
        if self.settled.len() <= KEPT + SLACK && self.settled_bytes <= KEPT_BYTES + (KEPT_BYTES >> 3) {
            return Vec::new();
        }
        let (mut count, mut bytes) = (self.settled.len(), self.settled_bytes);
        let mut gone = Vec::new();
        // The sender's host must still hear of the others.
        let droppable = self.settled.iter().filter(|number| !self.outbox.awaits_report(**number));
        for message in droppable.filter_map(|number| self.messages.get(number)) {
            if count <= KEPT && bytes <= KEPT_BYTES {
                break;
            }
            count -= 1;
            bytes -= message.header.bytes;
            gone.push(message.header.message);
        }
        gone
    }
}
