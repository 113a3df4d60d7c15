//! The outbox: messages that wait to be relayed to other hosts, and messages from other hosts whose delivery state has
//! changed since their sender's host was told. Both are views of the store, kept up to date by `evolve`.

use std::collections::BTreeSet;

use fugue_protocol::agent_messages::{DeliveryState, Recipient};
use fugue_protocol::views::{OutboxPage, RemoteMessage, RemoteReceipt};
use fugue_protocol::{FleetHost, SessionId, limits};

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

    /// The recipient on another host.
    pub(crate) fn recipient_on(&self, host: &FleetHost) -> Option<&Recipient> {
        let is_there = |to: &&Recipient| to.remote.as_ref().is_some_and(|remote| remote.host == *host);
        self.header.recipients.iter().find(is_there)
    }

    /// The receipt that the host of its sender does not have yet.
    fn unreported(&self) -> Option<RemoteReceipt> {
        let host = &self.header.origin.as_ref()?.host;
        let is_new = |state, reported: Option<_>| state > reported.unwrap_or(DeliveryState::Queued);
        let receipt = self.receipts.values().find(|receipt| is_new(receipt.state, receipt.reported))?;
        Some(RemoteReceipt {
            host: host.clone(),
            message_id: self.header.message,
            state: receipt.state,
            how: receipt.how,
            offered_at: receipt.offered_at,
            settled_at: receipt.settled_at,
            reply: receipt.reply,
            reason: receipt.reason.clone(),
        })
    }
}

impl MessageStore {
    /// Updates the outbox after a change of a message.
    pub(super) fn index(&mut self, number: u64) {
        let message = self.messages.get(&number);
        let bytes = message.map_or(0, |message| message.header.bytes);
        let (waits, reports) = message.map_or((false, false), |message| {
            (message.unrelayed().next().is_some(), message.unreported().is_some())
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
    pub(crate) fn outbox_page(&self, except: &[FleetHost]) -> OutboxPage {
        let (waiting, waiting_bytes) = self.outbox_size();
        let receipts =
            self.outbox.receipts.iter().filter_map(|number| self.messages.get(number)?.unreported());
        let receipts = receipts.filter(|receipt| !except.contains(&receipt.host));
        OutboxPage {
            messages: self.outbox_messages(except),
            receipts: receipts.take(limits::PAGE_MESSAGES).collect(),
            waiting,
            waiting_bytes,
        }
    }

    fn outbox_messages(&self, except: &[FleetHost]) -> Vec<RemoteMessage> {
        let mut room = limits::PAGE_BYTES;
        let mut page = Vec::new();
        for message in self.outbox.messages.iter().filter_map(|number| self.messages.get(number)) {
            for remote in message.unrelayed().filter_map(|to| to.remote.as_ref()) {
                if except.contains(&remote.host) {
                    continue;
                }
                if page.len() >= limits::PAGE_MESSAGES || (!page.is_empty() && message.header.bytes > room) {
                    return page;
                }
                room = room.saturating_sub(message.header.bytes);
                let (host, session) = (remote.host.clone(), remote.session.clone());
                page.push(RemoteMessage { host, session, message: message.view() });
            }
        }
        page
    }

    /// Records that the host of a message's sender knows a delivery state.
    pub(crate) fn reported(&mut self, message: fugue_protocol::MessageId, state: DeliveryState) {
        let Some(number) = self.numbers.get(&message).copied() else { return };
        if let Some(message) = self.messages.get_mut(&number) {
            for (_, receipt) in message.receipts.iter_mut() {
                receipt.reported = receipt.reported.max(Some(state));
            }
        }
        self.index(number);
    }

    /// Applies a receipt from the host of a recipient.
    pub(crate) fn receipt_arrived(&mut self, session: SessionId, arrived: &RemoteReceipt) {
        let RemoteReceipt { how, offered_at, settled_at, reply, reason, .. } = arrived.clone();
        self.settle(arrived.message_id, session, arrived.state, |receipt| {
            receipt.how = how.or(receipt.how);
            receipt.offered_at = offered_at.or(receipt.offered_at);
            receipt.settled_at = settled_at.or(receipt.settled_at);
            receipt.reply = reply.or(receipt.reply);
            receipt.reason = reason.or(receipt.reason.take());
        });
    }
}
