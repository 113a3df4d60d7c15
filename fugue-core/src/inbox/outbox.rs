//! The outbox: messages that wait to be relayed to other hosts, and messages from other hosts whose delivery state has
//! changed since their sender's host was told. Both are views of the store, kept up to date by `evolve`.

use std::collections::BTreeSet;

use fugue_protocol::agent_messages::{DeliveryState, Receipt, Recipient, Target};
use fugue_protocol::views::{OutboxPage, RemoteMessage, RemoteReceipt};
use fugue_protocol::{FleetHost, MessageId, SessionId, limits};

use super::{MessageStore, StoredMessage};

/// The numbers of messages with something to relay.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Outbox {
    /// Messages that were not relayed to all other hosts.
    messages: BTreeSet<u64>,
    bytes: usize,
    /// Messages from other hosts with a receipt that was not relayed back.
    receipts: BTreeSet<u64>,
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

    /// The receipts that the host of its sender does not have yet. The sender of a message for a group learns of its
    /// recipients by their receipts, so even the first state is reported.
    fn unreported(&self) -> impl Iterator<Item = RemoteReceipt> {
        let origin = self.header.origin.as_ref();
        let known = if self.is_for_fleet() { None } else { Some(DeliveryState::Queued) };
        let recipients =
            origin.into_iter().flat_map(|origin| self.header.recipients.iter().map(|to| (&origin.host, to)));
        recipients.filter_map(move |(host, to)| {
            let receipt = self.receipts.get(&to.session)?;
            let is_new = Some(receipt.state) > receipt.reported.or(known);
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
        let outbox = &mut self.outbox;
        match waits {
            true if outbox.messages.insert(number) => outbox.bytes += bytes,
            false if outbox.messages.remove(&number) => outbox.bytes -= bytes,
            _ => {}
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
        self.outbox.receipts.remove(&message.number);
    }

    /// The number and size of the messages that wait to be relayed.
    pub(crate) fn outbox_size(&self) -> (usize, usize) {
        (self.outbox.messages.len(), self.outbox.bytes)
    }

    /// The oldest messages and receipts to relay, except for these hosts; without payloads.
    pub(crate) fn outbox_page(&self, except: &[FleetHost], without_groups: bool) -> OutboxPage {
        let (waiting, waiting_bytes) = self.outbox_size();
        let messages = self.outbox.receipts.iter().filter_map(|number| self.by_number(*number));
        let receipts = messages.flat_map(StoredMessage::unreported);
        let receipts = receipts.filter(|receipt| !except.contains(&receipt.host));
        OutboxPage {
            messages: self.outbox_messages(except),
            receipts: receipts.take(limits::PAGE_MESSAGES).collect(),
            groups: if without_groups { Vec::new() } else { self.outbox_groups() },
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

    fn outbox_messages(&self, except: &[FleetHost]) -> Vec<RemoteMessage> {
        let mut room = limits::PAGE_BYTES;
        let mut page = Vec::new();
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
                let Some(host) = remote.host.as_ref().filter(|host| !except.contains(host)) else { continue };
                if page.len() >= limits::PAGE_MESSAGES || (!page.is_empty() && message.header.bytes > room) {
                    return page;
                }
                room = room.saturating_sub(message.header.bytes);
                let (host, to) = (host.clone(), remote.to.clone());
                page.push(RemoteMessage { host, to, message: message.view() });
            }
        }
        page
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
}
