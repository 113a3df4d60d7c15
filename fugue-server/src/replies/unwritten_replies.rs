//! The bytes of clients' replies that are queued but not written yet. They bound what a client may ask for next, and the
//! memory that all agents together can take by not reading.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, watch};

/// Unwritten reply bytes past which a client is not read from, until it has taken some.
const MAX_UNWRITTEN: usize = 8 << 20;

/// Unwritten reply bytes past which a client is disconnected. A client that reads stays far below: it has few large reads
/// at once, and other replies are small.
const MAX_QUEUED: usize = 64 << 20;

/// Unwritten reply bytes of all agents: eight of the largest replies at once. Beyond it, the agent's connection that has
/// gone longest without reading is closed: one that reads does so every few milliseconds.
const MAX_AGENTS_UNWRITTEN: usize = 128 << 20;

/// The unwritten bytes of all agents.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentsUnwritten(Arc<Total>);

#[derive(Debug, Default)]
struct Total {
    bytes: AtomicUsize,
    next: AtomicU64,
    connections: Mutex<BTreeMap<u64, Arc<UnwrittenBytes>>>,
}

/// The unwritten bytes of one client.
#[derive(Debug)]
pub(crate) struct UnwrittenBytes {
    queue: Mutex<Queue>,
    fewer: Notify,
    state: watch::Sender<WriterState>,
    /// The bytes of all agents, if the client is one, and its number among them.
    agents: Option<(AgentsUnwritten, u64)>,
}

/// Whether anything will be written any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterState {
    Open,
    /// The writer has ended. What the client sent before it left may still be read.
    Ended,
    /// The client is to be disconnected because it does not read its replies.
    Disconnected,
}

#[derive(Debug)]
struct Queue {
    bytes: usize,
    /// When the client last took some bytes, or had none to take.
    progress: Instant,
}

impl AgentsUnwritten {
    /// The unwritten bytes of a new connection of an agent.
    pub(crate) fn connection(&self) -> Arc<UnwrittenBytes> {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let unwritten = Arc::new(UnwrittenBytes::new(Some((self.clone(), number))));
        lock(&self.0.connections).insert(number, Arc::clone(&unwritten));
        unwritten
    }

    /// Ends the connections that have gone longest without reading, until the others are within the bound.
    fn end_stalled(&self) {
        while self.0.bytes.load(Ordering::Relaxed) > MAX_AGENTS_UNWRITTEN {
            let connections = lock(&self.0.connections);
            let waiting =
                connections.values().filter_map(|unwritten| Some((unwritten.stalled_since()?, unwritten)));
            let Some((_, stalled)) = waiting.min_by_key(|(since, _)| *since) else { return };
            let stalled = Arc::clone(stalled);
            drop(connections);
            stalled.disconnect();
        }
    }
}

impl UnwrittenBytes {
    /// The unwritten bytes of a person's connection.
    pub(crate) fn of_person() -> Arc<Self> {
        Arc::new(Self::new(None))
    }

    fn new(agents: Option<(AgentsUnwritten, u64)>) -> Self {
        let queue = Mutex::new(Queue { bytes: 0, progress: Instant::now() });
        Self { queue, fewer: Notify::new(), state: watch::Sender::new(WriterState::Open), agents }
    }

    /// Adds bytes that are queued. Returns whether they are to be queued: not if nothing will be written any more.
    pub(crate) fn add(&self, count: usize) -> bool {
        if self.is_ended() {
            return false;
        }
        if lock(&self.queue).bytes > MAX_QUEUED {
            self.disconnect();
            return false;
        }
        self.change(|bytes| bytes + count);
        if let Some((agents, _)) = &self.agents {
            agents.end_stalled();
        }
        !self.is_ended()
    }

    /// Subtracts bytes that were written, or could not be queued.
    pub(crate) fn subtract(&self, count: usize) {
        self.change(|bytes| bytes.saturating_sub(count));
        self.fewer.notify_one();
    }

    /// Waits until everything is written, or nothing will be.
    pub(crate) async fn drained(&self) {
        self.at_most(0).await;
    }

    /// Waits until there is room for another reply.
    pub(crate) async fn has_room(&self) {
        self.at_most(MAX_UNWRITTEN).await;
    }

    /// Resolves when the client is to be disconnected because it does not read its replies.
    pub(crate) async fn disconnected(&self) {
        let _ = self.state.subscribe().wait_for(|state| *state == WriterState::Disconnected).await;
    }

    fn is_ended(&self) -> bool {
        *self.state.borrow() != WriterState::Open
    }

    fn disconnect(&self) {
        tracing::warn!("Disconnected a client that was not reading its replies");
        self.end(WriterState::Disconnected);
    }

    /// Ends writing: what is queued will never be written.
    fn end(&self, state: WriterState) {
        self.state.send_if_modified(|current| {
            let is_open = *current == WriterState::Open;
            *current = if is_open { state } else { *current };
            is_open
        });
        self.change(|_| 0);
        if let Some((agents, number)) = &self.agents {
            lock(&agents.0.connections).remove(number);
        }
        self.fewer.notify_waiters();
        self.fewer.notify_one();
    }

    fn change(&self, changed: impl FnOnce(usize) -> usize) {
        let mut queue = lock(&self.queue);
        let (before, after) = (queue.bytes, changed(queue.bytes));
        if after < before || before == 0 {
            queue.progress = Instant::now();
        }
        queue.bytes = after;
        if let Some((agents, _)) = &self.agents {
            let total = &agents.0.bytes;
            total.fetch_add(after, Ordering::Relaxed);
            total.fetch_sub(before, Ordering::Relaxed);
        }
    }

    /// Returns since when the client has taken nothing, if there is something to take.
    fn stalled_since(&self) -> Option<Instant> {
        let queue = lock(&self.queue);
        (queue.bytes > 0).then_some(queue.progress)
    }

    async fn at_most(&self, most: usize) {
        while lock(&self.queue).bytes > most {
            self.fewer.notified().await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held by the task that writes. However that task ends, nobody keeps waiting for it.
pub(crate) struct WriterGuard(pub(crate) Arc<UnwrittenBytes>);

impl Drop for WriterGuard {
    fn drop(&mut self) {
        self.0.end(WriterState::Ended);
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_ready(future: impl Future<Output = ()>) -> bool {
        std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn when_the_writer_has_ended_nobody_waits_for_room() {
        let unwritten = UnwrittenBytes::of_person();
        let writer = WriterGuard(Arc::clone(&unwritten));
        assert!(unwritten.add(MAX_UNWRITTEN + 1));
        assert!(!is_ready(unwritten.has_room()));
        drop(writer);
        assert!(is_ready(unwritten.has_room()) && is_ready(unwritten.drained()));
        assert!(!is_ready(unwritten.disconnected()), "what the client sent before it left is still read");
        assert!(!unwritten.add(1), "nothing is queued any more");
    }

    #[test]
    fn a_client_that_never_reads_is_disconnected_but_one_reply_of_any_size_is_queued() {
        let unwritten = UnwrittenBytes::of_person();
        assert!(unwritten.add(2 * MAX_QUEUED));
        assert!(!unwritten.add(1));
        assert!(is_ready(unwritten.disconnected()));
    }

    #[test]
    fn beyond_the_bound_of_all_agents_the_one_that_has_not_read_for_longest_is_disconnected() {
        let agents = AgentsUnwritten::default();
        let [first, second, third] = [(); 3].map(|()| agents.connection());
        let half = MAX_AGENTS_UNWRITTEN / 2;
        assert!(first.add(half) && second.add(half));
        first.subtract(1);
        assert!(third.add(1), "all of them fit exactly");
        assert!(third.add(1) && is_ready(second.disconnected()), "the first one has read since");
        assert!(!is_ready(first.disconnected()) && !is_ready(third.disconnected()));
        assert_eq!(agents.0.bytes.load(Ordering::Relaxed), half + 1);
        [first, third].into_iter().for_each(|unwritten| drop(WriterGuard(unwritten)));
        assert_eq!(agents.0.bytes.load(Ordering::Relaxed), 0);
        assert!(lock(&agents.0.connections).is_empty());
    }
}
