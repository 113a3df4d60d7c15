//! The changes of the message store that `evolve` makes.

use fugue_protocol::agent_messages::{DeliveryState, MessageHeader, OfferedVia, Receipt, Recipient};
use fugue_protocol::{MessageId, SessionId, Timestamp, limits};

use super::{MessageStore, StoredMessage, key_hash};

impl MessageStore {
    pub(crate) fn sent(&mut self, header: &MessageHeader) {
        self.last += 1;
        let fresh = |recipient: &Recipient| (recipient.session, Receipt::default());
        let receipts = header.recipients.iter().map(fresh).collect();
        self.insert(StoredMessage::new(self.last, header.clone(), receipts));
        self.note_broadcast(header);
        if let (Some(original), Some(from)) = (header.reply_to, &header.from) {
            self.replied(original, from.session, header);
        }
        if let Some(lost) = header.resends {
            self.resent(lost, header);
        }
    }

    /// Adds a message, new or from disk.
    pub(super) fn insert(&mut self, mut message: StoredMessage) {
        message.update_recipients();
        self.routes.share(&mut message.header);
        let (number, header) = (message.number, &message.header);
        self.numbers.insert(header.message, number);
        if let Some(key) = &header.key {
            self.keys.insert((key_hash(message.from(), key), number));
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
            self.keys.remove(&(key_hash(stored.from(), key), stored.number));
        }
        self.take_out(&stored);
    }
}
