//! The stream of events to clients: a ring buffer, so that no slow client holds up the others.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use fugue_protocol::Event;
use fugue_protocol::events::EventRecord;
use tokio::sync::broadcast;

/// Events that a client may lag behind before it has to read the journal instead.
const RING_EVENTS: usize = 1_024;

/// Commands to clients that are kept for those that lag: more than one client is given in a second.
const KEPT_COMMANDS: usize = 256;

/// An event with its frame, encoded once for all clients.
#[derive(Debug)]
pub(crate) struct StreamedEvent {
    pub(crate) id: Option<u64>,
    /// Its number among all events that were sent, stored or not.
    pub(crate) number: u64,
    pub(crate) frame: Vec<u8>,
}

/// The stream of events.
#[derive(Clone)]
pub(crate) struct EventStream {
    ring: broadcast::Sender<Arc<StreamedEvent>>,
    sent: Rc<RefCell<SentEvents>>,
}

/// What was sent.
#[derive(Default)]
struct SentEvents {
    /// The number of the last event.
    last: u64,
    /// The last commands to clients. They happen once, so that no state shows them to a client that missed them.
    commands: VecDeque<Arc<StreamedEvent>>,
}

impl EventStream {
    pub(crate) fn new() -> Self {
        Self { ring: broadcast::Sender::new(RING_EVENTS), sent: Rc::default() }
    }

    /// Sends an event to all subscribers.
    pub(crate) fn publish(&self, record: &EventRecord) {
        if self.ring.receiver_count() == 0 {
            return;
        }
        let event = record.event.without_secrets().into_owned();
        let frame = fugue_protocol::messages::event(&EventRecord { event, ..*record });
        let event = Arc::new(StreamedEvent { id: record.id, number: self.last() + 1, frame });
        let mut sent = self.sent.borrow_mut();
        sent.last += 1;
        if matches!(record.event, Event::ClientDetached { .. } | Event::ClientCommanded { .. }) {
            sent.commands.push_back(Arc::clone(&event));
            if sent.commands.len() > KEPT_COMMANDS {
                sent.commands.pop_front();
            }
        }
        let _ = self.ring.send(event);
    }

    /// Subscribes to all events from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<StreamedEvent>> {
        self.ring.subscribe()
    }

    /// The number of the last event that was sent.
    pub(crate) fn last(&self) -> u64 {
        self.sent.borrow().last
    }

    /// The commands to clients after one event, up to another.
    pub(crate) fn commands(&self, after: u64, up_to: u64) -> Vec<Arc<StreamedEvent>> {
        let sent = self.sent.borrow();
        sent.commands.iter().filter(|event| event.number > after && event.number <= up_to).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Timestamp;

    use super::*;

    #[test]
    fn commands_to_clients_are_kept_for_one_that_lags() {
        let stream = EventStream::new();
        let _subscriber = stream.subscribe();
        let publish =
            |event| stream.publish(&EventRecord { id: None, at: Timestamp::from_millis(1), by: None, event });
        publish(Event::ClientDetached { client: 1 });
        let seen = stream.last();
        publish(Event::WarningsDismissed);
        publish(Event::ClientDetached { client: 2 });
        let missed = stream.last();
        publish(Event::ClientDetached { client: 3 });
        let commands: Vec<_> = stream.commands(seen, missed).iter().map(|event| event.number).collect();
        assert_eq!(commands, [3]);
        (0..2 * KEPT_COMMANDS as u64).for_each(|client| publish(Event::ClientDetached { client }));
        assert_eq!(stream.commands(0, u64::MAX).len(), KEPT_COMMANDS);
    }
}
