//! The outbox: messages that wait to be relayed to other hosts, and messages from other hosts whose delivery state has
//! changed since their sender's host was told. Both are views of the store, kept up to date by `evolve`.

use std::collections::BTreeSet;
use std::time::Duration;

use fugue_protocol::agent_messages::{
    DeliveryState, Receipt, Recipient, RelayProgress, RemoteAddress, RemoteTarget, Target,
};
use fugue_protocol::verbs::TakeOutbox;
use fugue_protocol::views::{OutboxPage, RemoteMessage, RemoteReceipt};
use fugue_protocol::{FleetHost, MessageId, SessionId, Timestamp, limits};

use super::{MessageStore, StoredMessage};

/// The numbers of messages with something to relay.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Outbox {
    /// Messages that were not relayed to all other hosts.
    messages: BTreeSet<u64>,
    bytes: usize,
    /// Messages that were relayed to hosts that have not said that they have stored them.
    unstored: BTreeSet<u64>,
    /// Messages from other hosts with a receipt that was not relayed back.
    receipts: BTreeSet<u64>,
}

/// What is wanted of the outbox.
#[derive(Debug, Clone)]
pub(crate) struct OutboxFilter {
    only: Vec<FleetHost>,
    except: Vec<FleetHost>,
    without_groups: bool,
    unstored_after: Option<Duration>,
}

impl OutboxFilter {
    pub(crate) fn new(wanted: &TakeOutbox) -> Self {
        Self {
            only: wanted.only.clone(),
            except: wanted.except.clone(),
            without_groups: wanted.without_groups,
            unstored_after: wanted.unstored_after_ms.map(Duration::from_millis),
        }
    }

    fn includes(&self, host: &FleetHost) -> bool {
        (self.only.is_empty() || self.only.contains(host)) && !self.except.contains(host)
    }
}

impl Outbox {
    /// Whether the host of a message's sender does not know its delivery state yet.
    pub(super) fn awaits_report(&self, number: u64) -> bool {
        self.receipts.contains(&number)
    }
}

impl StoredMessage {
    /// The recipients on other hosts to whose hosts it was not relayed yet.
    fn unrelayed(&self) -> impl Iterator<Item = &Recipient> {
        let is_queued = |to: &&Recipient| {
            to.remote.is_some()
                && self
                    .receipts
                    .get(&to.session)
                    .is_some_and(|receipt| receipt.state == DeliveryState::Queued)
        };
        self.header.recipients.iter().filter(is_queued)
    }

    /// The recipients on other hosts that have not said that they have stored it, although it was relayed.
    fn unstored(&self) -> impl Iterator<Item = (&RemoteAddress, RelayProgress)> {
        self.header.recipients.iter().filter_map(|to| {
            let receipt = self.receipts.get(&to.session)?;
            let relay = receipt.relay.as_deref().filter(|relay| !relay.stored)?;
            let remote = to.remote.as_ref().filter(|_| receipt.state == DeliveryState::Relayed)?;
            Some((remote, *relay))
        })
    }

    /// The recipients on another host: several only if the message is for a group.
    pub(crate) fn recipients_on(&self, host: &FleetHost) -> impl Iterator<Item = &Recipient> {
        let is_there = move |to: &&Recipient| {
            to.remote.as_ref().is_some_and(|remote| remote.host.as_ref() == Some(host))
        };
        self.header.recipients.iter().filter(is_there)
    }

    /// The recipient that stands for all hosts, until they are known.
    pub(crate) fn unexpanded(&self) -> Option<&Recipient> {
        self.unrelayed().find(|to| to.remote.as_ref().is_some_and(|remote| remote.host.is_none()))
    }

    /// Whether not all of its recipients are known, because a host has not said who belongs to a group.
    pub(crate) fn has_open_group(&self) -> bool {
        let is_group = |to: &&Recipient| to.remote.as_ref().is_some_and(|remote| remote.to.is_group());
        let is_open =
            |to: &Recipient| self.receipts.get(&to.session).is_some_and(|receipt| receipt.state.is_unread());
        self.header.recipients.iter().filter(is_group).any(is_open)
    }

    /// Whether it is for a group on all hosts.
    pub(crate) fn is_for_fleet(&self) -> bool {
        matches!(self.header.target, Target::OnAllHosts(_))
    }

    /// The receipts that the host of its sender does not have yet. Even the first state is reported: the sender's host
    /// keeps a message until it knows that it is stored here, and learns of the members of a group in this way.
    fn unreported(&self) -> impl Iterator<Item = RemoteReceipt> {
        let origin = self.header.origin.as_ref();
        let recipients =
            origin.into_iter().flat_map(|origin| self.header.recipients.iter().map(|to| (&origin.host, to)));
        recipients.filter_map(|(host, to)| {
            let receipt = self.receipts.get(&to.session)?;
            let is_new = Some(receipt.state) > receipt.reported;
            is_new.then(|| self.remote_receipt(host, to, receipt))
        })
    }

    fn remote_receipt(&self, host: &FleetHost, to: &Recipient, receipt: &Receipt) -> RemoteReceipt {
        RemoteReceipt {
            host: host.clone(),
            message_id: self.header.message,
            session: self.is_for_fleet().then(|| to.name.clone()),
            nobody: false,
            state: receipt.state,
            how: receipt.how,
            offered_at: receipt.offered_at,
            settled_at: receipt.settled_at,
            reply: receipt.reply,
            reason: receipt.reason.clone(),
            started: receipt.started.clone(),
        }
    }
}

impl MessageStore {
    /// Updates the outbox after a change of a message.
    pub(super) fn index(&mut self, number: u64) {
        let message = self.messages.get(&number);
        let bytes = message.map_or(0, |message| message.header.bytes);
        let (waits, reports) = message.map_or((false, false), |message| {
            (message.unrelayed().next().is_some(), message.unreported().next().is_some())
        });
        let unstored = message.is_some_and(|message| message.unstored().next().is_some());
        let outbox = &mut self.outbox;
        match waits {
            true if outbox.messages.insert(number) => outbox.bytes += bytes,
            false if outbox.messages.remove(&number) => outbox.bytes -= bytes,
            _ => {}
        }
        match unstored {
            true => drop(outbox.unstored.insert(number)),
            false => drop(outbox.unstored.remove(&number)),
        }
        match reports {
            true => drop(outbox.receipts.insert(number)),
            false => drop(outbox.receipts.remove(&number)),
        }
    }

    /// Removes a message that is no longer kept from the outbox.
    pub(super) fn unindex(&mut self, message: &StoredMessage) {
        if self.outbox.messages.remove(&message.number) {
            self.outbox.bytes -= message.header.bytes;
        }
        self.outbox.unstored.remove(&message.number);
        self.outbox.receipts.remove(&message.number);
    }

    /// The number and size of the messages that wait to be relayed.
    pub(crate) fn outbox_size(&self) -> (usize, usize) {
        (self.outbox.messages.len(), self.outbox.bytes)
    }

    /// The oldest messages and receipts to relay; without payloads.
    pub(crate) fn outbox_page(&self, wanted: &OutboxFilter, now: Timestamp) -> OutboxPage {
        let (waiting, waiting_bytes) = self.outbox_size();
        let messages = self.outbox.receipts.iter().filter_map(|number| self.by_number(*number));
        let receipts = messages.flat_map(StoredMessage::unreported);
        let receipts = receipts.filter(|receipt| wanted.includes(&receipt.host));
        let mut page = OutboxMessages::default();
        if let Some(after) = wanted.unstored_after {
            self.add_unstored(&mut page, wanted, |relay| is_due(relay, after, now));
        }
        self.add_waiting(&mut page, wanted);
        OutboxPage {
            messages: page.messages,
            receipts: receipts.take(limits::PAGE_MESSAGES).collect(),
            groups: if wanted.without_groups { Vec::new() } else { self.outbox_groups() },
            waiting,
            waiting_bytes,
        }
    }

    /// The messages that wait to be relayed, the oldest first.
    fn waiting(&self) -> impl Iterator<Item = &StoredMessage> {
        self.outbox.messages.iter().filter_map(|number| self.by_number(*number))
    }

    /// The messages for all hosts, which are not known yet.
    fn outbox_groups(&self) -> Vec<MessageId> {
        let groups = self.waiting().filter(|message| message.unexpanded().is_some());
        groups.map(|message| message.header.message).take(limits::PAGE_MESSAGES).collect()
    }

    /// Adds messages that may have been lost after they were relayed.
    fn add_unstored(
        &self,
        page: &mut OutboxMessages,
        wanted: &OutboxFilter,
        is_due: impl Fn(RelayProgress) -> bool,
    ) {
        for message in self.outbox.unstored.iter().filter_map(|number| self.by_number(*number)) {
            for (remote, relay) in message.unstored().filter(|(_, relay)| is_due(*relay)) {
                let Some(host) = remote.host.as_ref().filter(|host| wanted.includes(host)) else { continue };
                if !page.add(message, host, &remote.to, relay.relays) {
                    return;
                }
            }
        }
    }

    fn add_waiting(&self, page: &mut OutboxMessages, wanted: &OutboxFilter) {
        // The senders of messages for all hosts: what they sent later must not overtake those.
        let mut held = BTreeSet::new();
        for message in self.waiting() {
            if message.unexpanded().is_some() {
                held.insert(message.from());
            }
            if held.contains(&message.from()) {
                continue;
            }
            for remote in message.unrelayed().filter_map(|to| to.remote.as_ref()) {
                let Some(host) = remote.host.as_ref().filter(|host| wanted.includes(host)) else { continue };
                if !page.add(message, host, &remote.to, 0) {
                    return;
                }
            }
        }
    }

    /// Records that a message was relayed to the host of a recipient, perhaps again.
    pub(crate) fn relayed(&mut self, message: MessageId, session: SessionId, at: Timestamp) {
        let Some(number) = self.numbers.get(&message).copied() else { return };
        let message = self.messages.get_mut(&number);
        if let Some(receipt) = message.and_then(|message| message.receipts.get_mut(&session)) {
            let relay = receipt.relay.get_or_insert_default();
            (relay.relayed_at, relay.relays) = (at, relay.relays.saturating_add(1));
        }
        self.index(number);
    }

    /// Records that the host of a message's sender may not have its receipts.
    pub(crate) fn receipts_missed(&mut self, message: MessageId) {
        let Some(number) = self.numbers.get(&message).copied() else { return };
        let message = self.messages.get_mut(&number);
        message.into_iter().flat_map(|message| message.receipts.values_mut()).for_each(|receipt| {
            receipt.reported = None;
        });
        self.index(number);
    }

    /// Records that the host of a message's sender knows a delivery state.
    pub(crate) fn reported(&mut self, message: MessageId, session: SessionId, state: DeliveryState) {
        let Some(number) = self.numbers.get(&message).copied() else { return };
        let message = self.messages.get_mut(&number);
        if let Some(receipt) = message.and_then(|message| message.receipts.get_mut(&session)) {
            receipt.reported = receipt.reported.max(Some(state));
        }
        self.index(number);
    }

    /// Applies a receipt from the host of a recipient.
    pub(crate) fn receipt_arrived(&mut self, session: SessionId, arrived: &RemoteReceipt) {
        let RemoteReceipt { how, offered_at, settled_at, reply, reason, started, .. } = arrived.clone();
        self.stored_elsewhere(arrived.message_id, session);
        // What is unread there was relayed, as far as this host is concerned.
        let state = arrived.state.max(DeliveryState::Relayed);
        self.settle(arrived.message_id, session, state, |receipt| {
            receipt.how = how.or(receipt.how);
            receipt.offered_at = offered_at.or(receipt.offered_at);
            receipt.settled_at = settled_at.or(receipt.settled_at);
            receipt.reply = reply.or(receipt.reply);
            receipt.reason = reason.or(receipt.reason.take());
            receipt.started = started.or(receipt.started.take());
        });
    }

    /// Records that the host of a recipient has stored a message.
    fn stored_elsewhere(&mut self, message: MessageId, session: SessionId) {
        let Some(number) = self.numbers.get(&message).copied() else { return };
        let message = self.messages.get_mut(&number);
        if let Some(receipt) = message.and_then(|message| message.receipts.get_mut(&session)) {
            receipt.relay.get_or_insert_default().stored = true;
        }
        self.index(number);
    }
}

/// How often the time until a message is relayed again is doubled. Hosts with an older version never say that they have
/// stored something.
const DOUBLED: u32 = 6;

/// Whether a message is to be relayed again, a time `after` it was relayed first, and then twice as long after each time.
fn is_due(relay: RelayProgress, after: Duration, now: Timestamp) -> bool {
    let doubled = relay.relays.saturating_sub(1).min(DOUBLED);
    now.since(relay.relayed_at) >= after * 2_u32.pow(doubled)
}

/// The messages of a page, within its limits.
struct OutboxMessages {
    messages: Vec<RemoteMessage>,
    /// The bytes that still fit.
    room: usize,
}

impl Default for OutboxMessages {
    fn default() -> Self {
        Self { messages: Vec::new(), room: limits::PAGE_BYTES }
    }
}

impl OutboxMessages {
    /// Adds a message. Returns whether there was room for it.
    fn add(&mut self, message: &StoredMessage, host: &FleetHost, to: &RemoteTarget, relays: u32) -> bool {
        let (page, bytes) = (&mut self.messages, message.header.bytes);
        if page.len() >= limits::PAGE_MESSAGES || (!page.is_empty() && bytes > self.room) {
            return false;
        }
        self.room = self.room.saturating_sub(bytes);
        page.push(RemoteMessage { host: host.clone(), to: to.clone(), message: message.view(), relays });
        true
    }
}
