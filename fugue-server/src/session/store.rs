//! The store: the journal, the world as the journal has it, the stream of events to clients, and the audit log. An event
//! is published only after it is stored.

use fugue_core::World;
use fugue_core::scope::AuditEntry;
use fugue_protocol::events::EventRecord;
use fugue_protocol::{Event, Timestamp};

use super::event_stream::EventStream;
use crate::audit_log::AuditLog;
use crate::journal::{Journal, MessageChange};

/// The journal and everything that follows it.
pub(crate) struct Store {
    pub(super) journal: Journal,
    stream: EventStream,
    audit_log: AuditLog,
    /// The world after all published events.
    world: World,
    /// The number of the last event of the last whole batch.
    last_event: u64,
    /// The number of the last event that was published.
    published: u64,
}

impl Store {
    /// A store whose journal holds this world after this event.
    pub(crate) fn new(
        journal: Journal,
        stream: EventStream,
        audit_log: AuditLog,
        world: World,
        last_event: u64,
    ) -> Self {
        Self { journal, stream, audit_log, world, last_event, published: last_event }
    }

    /// The world as the journal has it.
    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// The number of the last event of the last whole batch.
    pub(super) fn last_event(&self) -> u64 {
        self.last_event
    }

    /// Stores a batch of events, as time and JSON, in one transaction. They must then be published in the same order.
    pub(super) async fn append(
        &mut self,
        events: Vec<(u64, String)>,
        messages: Vec<MessageChange>,
    ) -> Result<(), String> {
        let count = events.len() as u64;
        self.published = self.journal.append(events, messages).await? - count;
        Ok(())
    }

    /// Applies an event to the world and sends it to clients. Only an event that was stored gets a number.
    pub(super) fn publish(&mut self, at: Timestamp, by: Option<u64>, event: Event) {
        self.world.evolve(&event);
        let id = (!event.is_fleeting()).then(|| {
            self.published += 1;
            self.published
        });
        self.stream.publish(&EventRecord { id, at, by, event });
    }

    /// Ends a batch: all its events are published. Stores a checkpoint when one is due.
    pub(super) async fn finish_batch(&mut self) {
        let count = self.published - self.last_event;
        self.last_event = self.published;
        if Journal::is_checkpoint_due(self.last_event, count) {
            self.journal.checkpoint(&self.world).await;
        }
    }

    /// Records in the audit log that a caller reached beyond its own session, or was refused to.
    pub(super) fn audit(&mut self, at: Timestamp, pid: Option<u32>, entry: &AuditEntry) {
        self.audit_log.record(at, pid, entry);
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::SessionId;

    use super::*;

    fn closed() -> Event {
        Event::SessionClosed { session: SessionId::from_bytes([1; 16]) }
    }

    #[tokio::test]
    async fn stored_events_are_numbered_in_order_and_the_batch_counts_once_it_is_finished() {
        let directory = tempfile::tempdir().expect("a directory");
        let (journal, recovered) = Journal::open(directory.path()).expect("a journal");
        let stream = EventStream::new();
        let mut receiver = stream.subscribe();
        let mut store = Store::new(journal, stream, AuditLog::new(directory.path()), recovered.world, 0);
        let body = serde_json::to_string(&closed()).expect("json");
        let events = vec![(1, body.clone()), (1, body)];
        store.append(events, Vec::new()).await.expect("stored");
        for number in 1..=2 {
            store.publish(Timestamp::from_millis(1), None, closed());
            assert_eq!(receiver.try_recv().expect("published").id, Some(number));
        }
        assert_eq!(store.last_event(), 0, "the batch is not finished");
        store.finish_batch().await;
        assert_eq!(store.last_event(), 2);
    }
}
