//! Checksums of everything that a journal holds. Those of the database and of its copy are compared at every start, so
//! damage that no single row or record shows is noticed, too.

use std::collections::BTreeMap;

use fugue_core::PayloadSource;
use fugue_protocol::MessageId;

use super::checksum::{Checksum, of_event, of_text};
use super::copy_record::CopyRecord;
use super::messages::MessageChange;
use super::tip::Tip;

/// Checksums of what a journal holds, except for events that are already part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) tip: Tip,
    /// The last event in the checkpoint of the world, and the checksum of that world.
    pub(super) world: Option<(u64, u32)>,
    /// One checksum over all events after the checkpoint.
    events: u32,
    messages: BTreeMap<MessageId, MessageSums>,
    /// The checksum of each receipt, by the number of the message and the session.
    receipts: BTreeMap<(u64, [u8; 16]), u32>,
}

/// A message's number and checksums.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MessageSums {
    number: u64,
    envelope: u32,
    body: u32,
}

impl Contents {
    /// The contents of a journal that has got this far, before any row or record is added.
    pub(super) fn at(tip: Tip) -> Self {
        Self { tip, ..Self::default() }
    }

    /// Adds a record of the copy. Returns `false` if the record does not fit what came before it.
    pub(super) fn add(&mut self, record: &CopyRecord) -> bool {
        match record {
            CopyRecord::Header { tip, .. } => self.tip = *tip,
            CopyRecord::World { after, body } => self.set_world(*after, of_text(body)),
            CopyRecord::Events { first, events } => self.add_events(*first, events),
            CopyRecord::Change(change) => self.change(change),
            CopyRecord::SnapshotEnd => {}
            CopyRecord::Batch { batch, first, events, changes } => {
                let fits = *batch == self.tip.batch + 1 && *first == self.tip.last_event + 1;
                self.tip = self.tip.after(events, changes);
                self.add_events(*first, events);
                changes.iter().for_each(|change| self.change(change));
                return fits;
            }
            CopyRecord::Checkpoint { batch, world } => {
                let fits = *batch == self.tip.batch + 1;
                self.tip.batch += 1;
                self.set_world(self.tip.last_event, of_text(world));
                return fits;
            }
        }
        true
    }

    pub(super) fn set_world(&mut self, after: u64, sum: u32) {
        (self.world, self.events) = (Some((after, sum)), 0);
    }

    fn add_events(&mut self, first: u64, events: &[(u64, String)]) {
        (first..).zip(events).for_each(|(id, (at, body))| self.add_event(of_event(id, *at, body)));
    }

    pub(super) fn add_event(&mut self, sum: u32) {
        self.events = Checksum::after(self.events).number(sum.into()).finish();
    }

    pub(super) fn add_message(&mut self, number: u64, message: MessageId, envelope: u32, body: u32) {
        self.messages.insert(message, MessageSums { number, envelope, body });
    }

    pub(super) fn add_receipt(&mut self, number: u64, session: [u8; 16], receipt: u32) {
        self.receipts.insert((number, session), receipt);
    }

    /// Makes the same change as the database does.
    fn change(&mut self, change: &MessageChange) {
        match change {
            MessageChange::Sent { number, message, envelope, body } => {
                let body = match body {
                    PayloadSource::Text(body) => Some(of_text(body)),
                    PayloadSource::CopyOf(other) => self.messages.get(other).map(|other| other.body),
                };
                body.into_iter()
                    .for_each(|body| self.add_message(*number, *message, of_text(envelope), body));
            }
            MessageChange::Receipt { number, session, receipt } => {
                self.add_receipt(*number, *session.as_bytes(), of_text(receipt));
            }
            MessageChange::Forgotten { message } => {
                if let Some(MessageSums { number, .. }) = self.messages.remove(message) {
                    let its = self.receipts.range((number, [0; 16])..=(number, [u8::MAX; 16]));
                    let its: Vec<_> = its.map(|(key, _)| *key).collect();
                    for key in its {
                        self.receipts.remove(&key);
                    }
                }
            }
        }
    }
}

impl Tip {
    /// The tip after one more append.
    pub(super) fn after(self, events: &[(u64, String)], changes: &[MessageChange]) -> Self {
        let sent = changes.iter().filter_map(|change| match change {
            MessageChange::Sent { number, .. } => Some(*number),
            _ => None,
        });
        Self {
            journal: self.journal,
            batch: self.batch + 1,
            last_event: self.last_event + events.len() as u64,
            last_at: events.iter().map(|(at, _)| *at).fold(self.last_at, u64::max),
            last_message: sent.fold(self.last_message, u64::max),
        }
    }
}
