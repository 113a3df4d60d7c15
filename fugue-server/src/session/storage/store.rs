//! The store: the journal, the world as the journal has it, the stream of events to clients, and the audit log. An event
//! is published only after it is stored, except for facts that a full disk cannot undo (`unstored_facts.rs`).

use fugue_core::scope::AuditEntry;
use fugue_core::{Effect, World};
use fugue_protocol::events::EventRecord;
use fugue_protocol::{Event, Timestamp};

use super::event_stream::EventStream;
use super::unstored_facts::UnstoredFacts;
use crate::hooks::HookRunner;
use crate::journal::{CheckpointAge, Journal, MessageChange};
use crate::logs::audit_log::AuditLog;

/// The journal and everything that follows it.
pub(crate) struct Store {
    pub(crate) journal: Journal,
    stream: EventStream,
    audit_log: AuditLog,
    hooks: HookRunner,
    /// The world after all published events.
    world: World,
    /// The number of the last event of the last whole batch.
    last_event: u64,
    /// The number of the last event that was published.
    published: u64,
    /// What was stored since the last checkpoint.
    checkpoint_age: CheckpointAge,
    /// The reason that the last batch could not be stored.
    failure: Option<String>,
    /// Whether to try to store something although there is no new event, and whether that will be asked for.
    retries: bool,
    is_retry_pending: bool,
    unstored: UnstoredFacts,
}

impl Store {
    /// A store whose journal holds this world after this event, and was last checkpointed so long ago.
    pub(crate) fn new(
        journal: Journal,
        stream: EventStream,
        audit_log: AuditLog,
        hooks: HookRunner,
        (world, last_event, checkpoint_age): (World, u64, CheckpointAge),
    ) -> Self {
        Self {
            journal,
            stream,
            audit_log,
            hooks,
            world,
            last_event,
            published: last_event,
            checkpoint_age,
            failure: None,
            retries: false,
            is_retry_pending: false,
            unstored: UnstoredFacts::default(),
        }
    }

    /// The commands that run when something is published.
    pub(crate) fn hooks(&self) -> &HookRunner {
        &self.hooks
    }

    /// The world as the journal has it.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// The number of the last event of the last whole batch.
    pub(crate) fn last_event(&self) -> u64 {
        self.last_event
    }

    /// The reason that changes cannot be stored, as long as that lasts.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Tries to store something with the next batch, even if that has no events.
    pub(crate) fn retry(&mut self) {
        self.retries = self.failure.is_some();
        self.is_retry_pending = false;
    }

    /// Notes that a retry will be asked for. Returns whether one was pending already.
    pub(super) fn note_retry(&mut self) -> bool {
        std::mem::replace(&mut self.is_retry_pending, true)
    }

    /// Whether it is time to try to store something.
    pub(super) fn take_retry(&mut self) -> bool {
        std::mem::take(&mut self.retries)
    }

    /// Stores a batch of events, as time and JSON, in one transaction, after the facts that were not stored yet. The
    /// events must then be published in the same order. Returns the effects that waited for the facts.
    pub(super) async fn append(
        &mut self,
        events: Vec<(u64, String)>,
        messages: Vec<MessageChange>,
    ) -> Result<Vec<Effect>, String> {
        let count = events.len() as u64;
        let (events, messages) = self.unstored.before(events, messages);
        let stored = self.write(events, messages).await;
        self.failure = stored.as_ref().err().cloned();
        self.published = stored? - count;
        Ok(self.number_facts())
    }

    /// Sends the facts that are stored now to clients again, with their numbers.
    fn number_facts(&mut self) -> Vec<Effect> {
        let (facts, effects) = self.unstored.take();
        let first = self.published + 1 - facts.len() as u64;
        for (id, (at, event)) in (first..).zip(facts) {
            self.stream.publish(&EventRecord { id: Some(id), at, by: None, event });
        }
        effects
    }

    async fn write(
        &mut self,
        events: Vec<(u64, String)>,
        messages: Vec<MessageChange>,
    ) -> Result<u64, String> {
        let count = events.len() as u64;
        let bytes: usize =
            events.iter().map(|(_, body)| body.len()).chain(messages.iter().map(MessageChange::bytes)).sum();
        let last = self.journal.append(events, messages).await?;
        self.checkpoint_age.add(count, bytes as u64);
        Ok(last)
    }

    /// Applies a fact that cannot be stored now, and sends it to clients. Returns the effects that need not wait.
    pub(super) fn publish_fact(
        &mut self,
        at: Timestamp,
        events: Vec<Event>,
        messages: Vec<MessageChange>,
        effects: Vec<Effect>,
    ) -> Vec<Effect> {
        for event in events {
            self.hooks.evolve(&mut self.world, &event);
            if !event.is_fleeting() {
                self.unstored.add(at, event.clone());
            }
            self.stream.publish(&EventRecord { id: None, at, by: None, event });
        }
        self.unstored.add_messages(messages);
        self.unstored.keep(effects)
    }

    /// Applies an event to the world and sends it to clients. Only an event that was stored gets a number.
    pub(super) fn publish(&mut self, at: Timestamp, by: Option<u64>, event: Event) {
        self.hooks.evolve(&mut self.world, &event);
        let id = (!event.is_fleeting()).then(|| {
            self.published += 1;
            self.published
        });
        self.stream.publish(&EventRecord { id, at, by, event });
    }

    /// Ends a batch: all its events are published. Stores a checkpoint when one is due.
    pub(super) async fn finish_batch(&mut self) {
        self.last_event = self.published;
        if self.checkpoint_age.is_due() {
            self.checkpoint_age = self.journal.checkpoint(&self.world).await;
        }
    }

    /// Records in the audit log that a caller reached beyond its own session, or was refused to.
    pub(crate) fn audit(&mut self, at: Timestamp, pid: Option<u32>, entry: &AuditEntry) {
        self.audit_log.record(at, pid, entry);
    }

    /// The time at which the audit log has something to write.
    pub(crate) fn audit_due(&self) -> Option<Timestamp> {
        self.audit_log.next_due()
    }

    /// Writes what is due in the audit log.
    pub(crate) fn write_due_audit(&mut self, now: Timestamp) {
        self.audit_log.write_due(now);
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::SessionId;

    use super::*;
    use crate::hooks::RunningHooks;

    fn closed() -> Event {
        Event::SessionClosed { session: SessionId::from_bytes([1; 16]) }
    }

    #[tokio::test(flavor = "local")]
    async fn stored_events_are_numbered_in_order_and_the_batch_counts_once_it_is_finished() {
        let directory = tempfile::tempdir().expect("a directory");
        let (journal, recovered) = Journal::open(directory.path()).expect("a thread");
        let recovered = recovered.await.expect("a journal");
        let stream = EventStream::new();
        let mut receiver = stream.subscribe();
        let hooks = HookRunner::start(directory.path().join("socket"), RunningHooks::default());
        let audit_log = AuditLog::new(directory.path());
        let mut store = Store::new(journal, stream, audit_log, hooks, (recovered.world, 0, recovered.age));
        let body = serde_json::to_string(&closed()).expect("json");
        let events = vec![(1, body.clone()), (1, body)];
        store.append(events, Vec::new()).await.map(drop).expect("stored");
        for number in 1..=2 {
            store.publish(Timestamp::from_millis(1), None, closed());
            assert_eq!(receiver.try_recv().expect("published").id, Some(number));
        }
        assert_eq!(store.last_event(), 0, "the batch is not finished");
        store.finish_batch().await;
        assert_eq!(store.last_event(), 2);
    }
}
