//! The message store: every message that is kept, the inboxes it is in, and its receipts. It has headers only; payloads
//! are on disk. Only `evolve` changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fugue_protocol::agent_messages::{DeliveryState, MessageHeader, OfferedVia, Receipt, Recipient};
use fugue_protocol::{IdempotencyKey, MessageId, SessionId, Timestamp, limits};

mod message_views;
mod outbox;
mod receipts;
mod stored_message;

pub use receipts::Receipts;
pub use stored_message::StoredMessage;

use outbox::Outbox;

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

/// All messages that are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageStore {
    /// Messages by number, in the order in which they were sent. In boxes, since half of each node of the tree is empty
    /// when the numbers only rise.
    messages: BTreeMap<u64, Box<StoredMessage>>,
    numbers: BTreeMap<MessageId, u64>,
    inboxes: BTreeMap<SessionId, Inbox>,
    /// The messages that were sent with an idempotency key.
    keys: BTreeMap<(From, IdempotencyKey), MessageId>,
    /// The expiry times of unread messages.
    expiring: BTreeSet<(Timestamp, u64)>,
    /// The numbers of messages that are in no inbox any more.
    settled: BTreeSet<u64>,
    settled_bytes: usize,
    /// The recent broadcasts of each sender.
    broadcasts: BTreeMap<From, VecDeque<Timestamp>>,
    /// What is to be relayed to other hosts.
    outbox: Outbox,
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

    /// The message that a sender sent with this key.
    pub(crate) fn sent_before(&self, from: From, key: &IdempotencyKey) -> Option<&StoredMessage> {
        self.get(*self.keys.get(&(from, key.clone()))?)
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

/// The changes that `evolve` makes.
impl MessageStore {
    pub(crate) fn sent(&mut self, header: &MessageHeader) {
        self.last += 1;
        let fresh = |recipient: &Recipient| (recipient.session, Receipt::default());
        let receipts = header.recipients.iter().map(fresh).collect();
        self.insert(StoredMessage { number: self.last, header: header.clone(), receipts });
        self.note_broadcast(header);
        if let (Some(original), Some(from)) = (header.reply_to, &header.from) {
            self.replied(original, from.session, header);
        }
        if let Some(lost) = header.resends {
            self.resent(lost, header);
        }
    }

    /// Adds a message, new or from disk.
    fn insert(&mut self, mut message: StoredMessage) {
        message.update_recipients();
        message.header.recipients.shrink_to_fit();
        let (number, header) = (message.number, &message.header);
        self.numbers.insert(header.message, number);
        if let Some(key) = &header.key {
            self.keys.insert((message.from(), key.clone()), header.message);
        }
        for session in message.unread_by() {
            let inbox = self.inboxes.entry(session).or_default();
            inbox.unread.insert(number);
            inbox.bytes += header.bytes;
        }
        if message.is_settled() {
            self.settled.insert(number);
            self.settled_bytes += header.bytes;
        } else {
            self.expiring.insert((header.expires_at, number));
        }
        self.last = self.last.max(number);
        self.messages.insert(number, Box::new(message));
        self.index(number);
    }

    fn note_broadcast(&mut self, header: &MessageHeader) {
        // Senders on other hosts have a limit of their own, in the relay.
        if header.target.is_broadcast() && header.origin.is_none() {
            let recent = self.broadcasts.entry(header.from.as_ref().map(|from| from.session)).or_default();
            recent.push_back(header.sent_at);
            while recent.len() > limits::BROADCASTS {
                recent.pop_front();
            }
        }
    }

    /// A reply marks the message as read. One that was lost before stays lost, but its reply is recorded.
    fn replied(&mut self, original: MessageId, by: SessionId, reply: &MessageHeader) {
        let message = self.numbers.get(&original).and_then(|number| self.messages.get_mut(number));
        let receipt = message.and_then(|message| message.receipts.get_mut(&by));
        if let Some(receipt) = receipt {
            receipt.reply = Some(reply.message);
        }
        self.settle(original, by, DeliveryState::Replied, |receipt| {
            receipt.settled_at = receipt.settled_at.or(Some(reply.sent_at));
        });
    }

    /// Records that a lost message was resent: to recipients that lost it, or to another session in their place.
    fn resent(&mut self, lost: MessageId, again: &MessageHeader) {
        let message = self.numbers.get(&lost).and_then(|number| self.messages.get_mut(number));
        let Some(message) = message else { return };
        let gets = |session: &SessionId| again.recipients.iter().any(|to| to.session == *session);
        let elsewhere = !message.receipts.keys().any(gets);
        for (session, receipt) in message.receipts.iter_mut() {
            if receipt.state.is_lost() && receipt.resent_as.is_none() && (elsewhere || gets(session)) {
                receipt.resent_as = Some(again.message);
            }
        }
    }

    /// Records that a message was shown to its reader or announced.
    pub(crate) fn offered(&mut self, message: MessageId, session: SessionId, how: OfferedVia, at: Timestamp) {
        self.settle(message, session, DeliveryState::Offered, |_| {});
        let message = self.numbers.get(&message).and_then(|number| self.messages.get_mut(number));
        let receipt = message.and_then(|message| message.receipts.get_mut(&session));
        // An announcement does not replace an earlier showing.
        if let Some(receipt) = receipt.filter(|receipt| receipt.state == DeliveryState::Offered)
            && !receipt.how.is_some_and(OfferedVia::is_shown)
        {
            (receipt.how, receipt.offered_at) = (Some(how), Some(at));
        }
    }

    /// Changes a receipt, and removes the message from the inbox when it is no longer unread.
    pub(crate) fn settle(
        &mut self,
        message: MessageId,
        session: SessionId,
        state: DeliveryState,
        with: impl FnOnce(&mut Receipt),
    ) {
        let Some(message) = self.numbers.get(&message).and_then(|number| self.messages.get_mut(number))
        else {
            return;
        };
        let Some(receipt) = message.receipts.get_mut(&session).filter(|receipt| !receipt.replaced) else {
            return;
        };
        let was_unread = receipt.state.is_unread();
        // States only move forward: what was read stays read, what was lost stays lost.
        if state <= receipt.state {
            return;
        }
        receipt.state = state;
        with(receipt);
        let (number, bytes) = (message.number, message.header.bytes);
        if was_unread && !state.is_unread() {
            let settled = message.is_settled().then_some(message.header.expires_at);
            self.remove_unread(session, number, bytes);
            if let Some(expires_at) = settled {
                self.expiring.remove(&(expires_at, number));
                self.settled.insert(number);
                self.settled_bytes += bytes;
            }
        }
        self.index(number);
    }

    /// Adds recipients, in the place of a group unless it was replaced before.
    pub(crate) fn recipients_found(
        &mut self,
        message: MessageId,
        group: Option<SessionId>,
        found: &[Recipient],
    ) {
        let Some(number) = self.numbers.get(&message).copied() else { return };
        let Some(mut message) = self.messages.remove(&number) else { return };
        self.take_out(&message);
        if let Some(receipt) = group.and_then(|group| message.receipts.get_mut(&group)) {
            receipt.replaced = true;
        }
        message.receipts.add(found);
        self.insert(*message);
    }

    /// Takes a message out of the inboxes and the outbox, before it is put back or forgotten.
    fn take_out(&mut self, message: &StoredMessage) {
        for session in message.unread_by() {
            self.remove_unread(session, message.number, message.header.bytes);
        }
        self.expiring.remove(&(message.header.expires_at, message.number));
        self.unindex(message);
        if self.settled.remove(&message.number) {
            self.settled_bytes -= message.header.bytes;
        }
    }

    fn remove_unread(&mut self, session: SessionId, number: u64, bytes: usize) {
        if let Some(inbox) = self.inboxes.get_mut(&session)
            && inbox.unread.remove(&number)
        {
            inbox.bytes -= bytes;
            if inbox.unread.is_empty() {
                self.inboxes.remove(&session);
            }
        }
    }

    /// Drops the broadcast history of a closed session.
    pub(crate) fn closed(&mut self, session: SessionId) {
        self.broadcasts.remove(&Some(session));
    }

    pub(crate) fn forgotten(&mut self, message: MessageId) {
        let number = self.numbers.remove(&message);
        let Some(stored) = number.and_then(|number| self.messages.remove(&number)) else { return };
        if let Some(key) = &stored.header.key {
            let key = (stored.from(), key.clone());
            if self.keys.get(&key) == Some(&message) {
                self.keys.remove(&key);
            }
        }
        self.take_out(&stored);
    }
}
