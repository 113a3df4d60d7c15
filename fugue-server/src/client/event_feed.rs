//! The events that a client is sent, and how far it has got.

use std::sync::Arc;

use tokio::sync::broadcast;

use crate::session::StreamedEvent;

type EventReceiver = broadcast::Receiver<Arc<StreamedEvent>>;

/// The next event, or the error that the client lagged behind.
pub(super) type ReceivedEvent = Result<Arc<StreamedEvent>, broadcast::error::RecvError>;

/// The events that a client is sent.
#[derive(Default)]
pub(super) struct EventFeed {
    /// The number of the last event that was sent; `None` while the client wants no events.
    pub(super) after: Option<u64>,
    pub(super) receiver: Option<EventReceiver>,
    /// The number of the last event that was taken from the stream.
    pub(super) seen: u64,
    /// The number of the last event that this client missed because it lagged behind. Once it has caught up with the
    /// journal, it gets what those that are not stored led to.
    pub(super) missed: Option<u64>,
    /// Whether the journal has events that the client has not seen. They are sent after the replies that are queued.
    pub(super) is_behind: bool,
}

impl EventFeed {
    /// Waits for the next event.
    pub(super) async fn next(&mut self) -> ReceivedEvent {
        match &mut self.receiver {
            Some(receiver) => receiver.recv().await,
            None => std::future::pending().await,
        }
    }

    /// Returns the next event that has happened by now.
    pub(super) fn try_next(&mut self) -> Option<ReceivedEvent> {
        use broadcast::error::{RecvError, TryRecvError};
        match self.receiver.as_mut().filter(|_| !self.is_behind)?.try_recv() {
            Ok(event) => Some(Ok(event)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(TryRecvError::Lagged(count)) => Some(Err(RecvError::Lagged(count))),
        }
    }

    /// Returns the number of events that have happened by now.
    pub(super) fn queued(&self) -> usize {
        self.receiver.as_ref().map_or(0, broadcast::Receiver::len)
    }
}
