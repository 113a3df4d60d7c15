//! The stream of events: told to whoever watches, through a ring that nobody has to keep up with.

use std::sync::Arc;

use fugue_protocol::events::EventRecord;
use tokio::sync::broadcast;

/// Events that a watcher may lag behind before it has to read the journal instead.
const RING: usize = 1_024;

/// An event as it was told, with its frame made once for all watchers.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) id: Option<u64>,
    pub(crate) frame: Vec<u8>,
}

/// Where events are told.
#[derive(Clone)]
pub(crate) struct Stream(broadcast::Sender<Arc<Heard>>);

impl Stream {
    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(RING))
    }

    pub(crate) fn tell(&self, told: &EventRecord) {
        if self.0.receiver_count() > 0 {
            let frame = fugue_protocol::messages::event(told);
            let _ = self.0.send(Arc::new(Heard { id: told.id, frame }));
        }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<Heard>> {
        self.0.subscribe()
    }
}
