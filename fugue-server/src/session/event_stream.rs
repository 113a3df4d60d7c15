//! The stream of events to clients: a ring buffer, so that no slow client holds up the others.

use std::sync::Arc;

use fugue_protocol::events::EventRecord;
use tokio::sync::broadcast;

/// Events that a client may lag behind before it has to read the journal instead.
const RING_EVENTS: usize = 1_024;

/// An event with its frame, encoded once for all clients.
#[derive(Debug)]
pub(crate) struct StreamedEvent {
    pub(crate) id: Option<u64>,
    pub(crate) frame: Vec<u8>,
}

/// The stream of events.
#[derive(Clone)]
pub(crate) struct EventStream(broadcast::Sender<Arc<StreamedEvent>>);

impl EventStream {
    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(RING_EVENTS))
    }

    /// Sends an event to all subscribers.
    pub(crate) fn publish(&self, record: &EventRecord) {
        if self.0.receiver_count() > 0 {
            let event = record.event.without_secrets().into_owned();
            let frame = fugue_protocol::messages::event(&EventRecord { event, ..*record });
            let _ = self.0.send(Arc::new(StreamedEvent { id: record.id, frame }));
        }
    }

    /// Subscribes to all events from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<StreamedEvent>> {
        self.0.subscribe()
    }
}
