//! The mail: every message that is kept, whose inbox it lies in, and what became of it. Envelopes only; the bodies lie
//! on the disk. Only `evolve` writes here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fugue_protocol::orchestration::{DeliveryState, MessageHeader, OfferedVia, Receipt};
use fugue_protocol::{IdempotencyKey, MessageId, SessionId, Timestamp, limits};

mod filter;
mod keeping;
mod shown;

pub use filter::Filter;
pub use keeping::{Letter, Stored};

/// Messages that are read or lost and still kept, for whoever asks what became of them.
pub const KEPT: usize = 10_000;

/// Bytes of their payloads.
pub const KEPT_BYTES: usize = 64 << 20;

/// When there are too many, so many go at once: then forgetting is a rare event.
pub const SLACK: usize = 512;

/// A sender as keys and rates know it: its session, or a person outside.
type From = Option<SessionId>;

/// Everything that was sent and is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mail {
    /// By number: the order in which they were sent.
    letters: BTreeMap<u64, Letter>,
    numbers: BTreeMap<MessageId, u64>,
    inboxes: BTreeMap<SessionId, Inbox>,
    /// What a sender has sent under which key.
    keys: BTreeMap<(From, IdempotencyKey), MessageId>,
    /// When unread messages are given up.
    expiring: BTreeSet<(Timestamp, u64)>,
    /// Messages that nobody will read any more, by number.
    settled: BTreeSet<u64>,
    settled_bytes: usize,
    /// When senders broadcast lately.
    broadcasts: BTreeMap<From, VecDeque<Timestamp>>,
    /// The newest message's number.
    last: u64,
}

/// What lies unread for one session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inbox {
    unread: BTreeSet<u64>,
    bytes: usize,
}

impl Mail {
    /// A message by its id.
    pub fn letter(&self, message: MessageId) -> Option<&Letter> {
        self.letters.get(self.numbers.get(&message)?)
    }

    /// All that is kept, in the order in which it was sent.
    pub fn letters(&self) -> impl DoubleEndedIterator<Item = &Letter> {
        self.letters.values()
    }

    /// What lies unread for a session, the oldest first.
    pub fn unread(&self, session: SessionId) -> impl DoubleEndedIterator<Item = &Letter> {
        let numbers = self.inboxes.get(&session).map(|inbox| &inbox.unread);
        numbers.into_iter().flatten().filter_map(|number| self.letters.get(number))
    }

    /// How many messages lie unread for a session.
    pub fn count(&self, session: SessionId) -> usize {
        self.inboxes.get(&session).map_or(0, |inbox| inbox.unread.len())
    }

    /// Why an inbox cannot take a message of this size: how many it holds, and how many bytes.
    pub(crate) fn is_full(&self, session: SessionId, bytes: usize) -> Option<(usize, usize)> {
        let inbox = self.inboxes.get(&session)?;
        let (messages, held) = (inbox.unread.len(), inbox.bytes);
        (messages >= limits::INBOX_MESSAGES || held + bytes > limits::INBOX_BYTES).then_some((messages, held))
    }

    /// What a sender has sent under this key.
    pub(crate) fn sent_before(&self, from: From, key: &IdempotencyKey) -> Option<&Letter> {
        self.letter(*self.keys.get(&(from, key.clone()))?)
    }

    /// How long a sender must wait before it may broadcast again, in milliseconds.
    pub(crate) fn must_pause(&self, from: From, now: Timestamp) -> Option<u64> {
        let recent = self.broadcasts.get(&from)?;
        let oldest = recent.len().checked_sub(limits::BROADCASTS).and_then(|at| recent.get(at))?;
        let free = oldest.millis() + limits::BROADCAST_WINDOW_MS;
        (free > now.millis()).then(|| free - now.millis())
    }

    /// Messages whose time has run out.
    pub(crate) fn overdue(&self, now: Timestamp) -> Vec<MessageId> {
        let due = self.expiring.iter().take_while(|(at, _)| *at <= now);
        due.filter_map(|(_, number)| Some(self.letters.get(number)?.envelope.message)).collect()
    }

    /// When the next message is given up.
    pub(crate) fn next_expiry(&self) -> Option<Timestamp> {
        self.expiring.first().map(|(at, _)| *at)
    }

    /// What is too much, the oldest first; nothing while it is only a little.
    pub(crate) fn too_many(&self) -> Vec<MessageId> {
        if self.settled.len() <= KEPT + SLACK && self.settled_bytes <= KEPT_BYTES + (KEPT_BYTES >> 3) {
            return Vec::new();
        }
        let (mut count, mut bytes) = (self.settled.len(), self.settled_bytes);
        let mut gone = Vec::new();
        for letter in self.settled.iter().filter_map(|number| self.letters.get(number)) {
            if count <= KEPT && bytes <= KEPT_BYTES {
                break;
            }
            count -= 1;
            bytes -= letter.envelope.bytes;
            gone.push(letter.envelope.message);
        }
        gone
    }
}

/// What `evolve` does.
impl Mail {
    pub(crate) fn sent(&mut self, envelope: &MessageHeader) {
        self.last += 1;
        let fresh =
            |recipient: &fugue_protocol::orchestration::Recipient| (recipient.session, Receipt::default());
        let receipts = envelope.recipients.iter().map(fresh).collect();
        self.put(Letter { number: self.last, envelope: envelope.clone(), receipts });
        self.note_broadcast(envelope);
        if let (Some(original), Some(from)) = (envelope.reply_to, &envelope.from) {
            self.replied(original, from.session, envelope);
        }
        if let Some(lost) = envelope.resends {
            self.resent(lost, envelope);
        }
    }

    /// Takes in a letter, new or from the disk.
    fn put(&mut self, letter: Letter) {
        let (number, envelope) = (letter.number, &letter.envelope);
        self.numbers.insert(envelope.message, number);
        if let Some(key) = &envelope.key {
            self.keys.insert((letter.from(), key.clone()), envelope.message);
        }
        for session in letter.waits_for() {
            let inbox = self.inboxes.entry(session).or_default();
            inbox.unread.insert(number);
            inbox.bytes += envelope.bytes;
        }
        if letter.is_settled() {
            self.settled.insert(number);
            self.settled_bytes += envelope.bytes;
        } else {
            self.expiring.insert((envelope.expires_at, number));
        }
        self.last = self.last.max(number);
        self.letters.insert(number, letter);
    }

    fn note_broadcast(&mut self, envelope: &MessageHeader) {
        if envelope.target == fugue_protocol::orchestration::Target::Broadcast {
            let recent = self.broadcasts.entry(envelope.from.as_ref().map(|from| from.session)).or_default();
            recent.push_back(envelope.sent_at);
            while recent.len() > limits::BROADCASTS {
                recent.pop_front();
            }
        }
    }

    /// Whoever answers a message has read it. What was given up before stays so, and its answer is known.
    fn replied(&mut self, original: MessageId, by: SessionId, reply: &MessageHeader) {
        let letter = self.numbers.get(&original).and_then(|number| self.letters.get_mut(number));
        let receipt = letter.and_then(|letter| letter.receipts.get_mut(&by));
        if let Some(receipt) = receipt {
            receipt.reply = Some(reply.message);
        }
        self.settle(original, by, DeliveryState::Replied, |receipt| {
            receipt.settled_at = receipt.settled_at.or(Some(reply.sent_at));
        });
    }

    /// What was lost was sent again: to some of those who lost it, or to somebody else in their place.
    fn resent(&mut self, lost: MessageId, again: &MessageHeader) {
        let letter = self.numbers.get(&lost).and_then(|number| self.letters.get_mut(number));
        let Some(letter) = letter else { return };
        let gets = |session: &SessionId| again.recipients.iter().any(|to| to.session == *session);
        let elsewhere = !letter.receipts.keys().any(gets);
        for (session, receipt) in &mut letter.receipts {
            if receipt.state.is_lost() && receipt.resent_as.is_none() && (elsewhere || gets(session)) {
                receipt.resent_as = Some(again.message);
            }
        }
    }

    /// It was put before its reader, or its reader was told of it.
    pub(crate) fn offered(&mut self, message: MessageId, session: SessionId, how: OfferedVia, at: Timestamp) {
        self.settle(message, session, DeliveryState::Offered, |_| {});
        let letter = self.numbers.get(&message).and_then(|number| self.letters.get_mut(number));
        let receipt = letter.and_then(|letter| letter.receipts.get_mut(&session));
        // To be told of a message is less than to be shown it.
        if let Some(receipt) = receipt.filter(|receipt| receipt.state == DeliveryState::Offered)
            && !receipt.how.is_some_and(OfferedVia::is_shown)
        {
            (receipt.how, receipt.offered_at) = (Some(how), Some(at));
        }
    }

    /// Changes a receipt, and moves the letter out of the inbox when it is no longer unread.
    pub(crate) fn settle(
        &mut self,
        message: MessageId,
        session: SessionId,
        state: DeliveryState,
        with: impl FnOnce(&mut Receipt),
    ) {
        let Some(letter) = self.numbers.get(&message).and_then(|number| self.letters.get_mut(number)) else {
            return;
        };
        let Some(receipt) = letter.receipts.get_mut(&session) else { return };
        let was_unread = receipt.state.is_unread();
        // A step back is no news: what was read stays read, what was lost stays lost.
        if state <= receipt.state {
            return;
        }
        receipt.state = state;
        with(receipt);
        if was_unread && !state.is_unread() {
            let (number, bytes) = (letter.number, letter.envelope.bytes);
            let settled = letter.is_settled().then_some(letter.envelope.expires_at);
            self.taken_out(session, number, bytes);
            if let Some(expires_at) = settled {
                self.expiring.remove(&(expires_at, number));
                self.settled.insert(number);
                self.settled_bytes += bytes;
            }
        }
    }

    fn taken_out(&mut self, session: SessionId, number: u64, bytes: usize) {
        if let Some(inbox) = self.inboxes.get_mut(&session)
            && inbox.unread.remove(&number)
        {
            inbox.bytes -= bytes;
            if inbox.unread.is_empty() {
                self.inboxes.remove(&session);
            }
        }
    }

    /// A sender's session is gone: how often it broadcast is nobody's business any more.
    pub(crate) fn closed(&mut self, session: SessionId) {
        self.broadcasts.remove(&Some(session));
    }

    pub(crate) fn forgotten(&mut self, message: MessageId) {
        let Some(letter) = self.numbers.remove(&message).and_then(|number| self.letters.remove(&number))
        else {
            return;
        };
        if let Some(key) = &letter.envelope.key {
            let key = (letter.from(), key.clone());
            if self.keys.get(&key) == Some(&message) {
                self.keys.remove(&key);
            }
        }
        for session in letter.waits_for().collect::<Vec<_>>() {
            self.taken_out(session, letter.number, letter.envelope.bytes);
        }
        self.expiring.remove(&(letter.envelope.expires_at, letter.number));
        if self.settled.remove(&letter.number) {
            self.settled_bytes -= letter.envelope.bytes;
        }
    }
}
