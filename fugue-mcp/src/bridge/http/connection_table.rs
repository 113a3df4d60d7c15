//! The open connections by what is known about their clients. Any user of this machine can connect, so connections on
//! which nobody has shown the token make room for new ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The open connections.
#[derive(Clone, Debug)]
pub(super) struct HttpConnections {
    most: usize,
    open: Arc<Mutex<OpenConnections>>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next: u64,
    /// By number, the oldest first. A connection on which nobody has shown the token can be closed.
    places: BTreeMap<u64, Option<oneshot::Sender<()>>>,
}

/// The place of one connection. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    table: HttpConnections,
    number: u64,
}

impl HttpConnections {
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection, and returns what resolves when it is to be closed. At the limit, the oldest one without the
    /// token is closed; none is admitted if all have shown it.
    pub(super) fn admit(&self) -> Option<(ConnectionPlace, oneshot::Receiver<()>)> {
        let mut open = self.open();
        if open.places.len() >= self.most {
            let oldest = open.places.iter().find(|(_, close)| close.is_some()).map(|(number, _)| *number)?;
            open.places.remove(&oldest);
        }
        let (close, closed) = oneshot::channel();
        let number = open.next;
        open.next += 1;
        open.places.insert(number, Some(close));
        Some((ConnectionPlace { table: self.clone(), number }, closed))
    }
}

impl ConnectionPlace {
    /// Records that the client has shown the token: the connection stays.
    pub(super) fn keep(&self) {
        let sender = self.table.open().places.get_mut(&self.number).and_then(Option::take);
        // The receiver waits for a message: that the sender is gone means nothing.
        drop(sender);
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.table.open().places.remove(&self.number);
    }
}

/// Completes when the connection is to be closed.
pub(super) async fn evicted(closed: oneshot::Receiver<()>, place: &ConnectionPlace) {
    let _ = closed.await;
    if place.table.open().places.contains_key(&place.number) {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_without_the_token_make_room_for_new_ones() {
        let table = HttpConnections::new(2);
        let (client, mut client_closed) = table.admit().expect("room");
        client.keep();
        let (_idle, mut idle_closed) = table.admit().expect("room");
        let (next, mut next_closed) = table.admit().expect("the idle one makes room");
        assert!(!matches!(idle_closed.try_recv(), Err(oneshot::error::TryRecvError::Empty)), "it is closed");
        assert!(matches!(next_closed.try_recv(), Err(oneshot::error::TryRecvError::Empty)));
        assert!(client_closed.try_recv().is_err(), "nothing is sent to the client's");
        next.keep();
        assert!(table.admit().is_none(), "both are in use by clients with the token");
        drop(client);
        assert!(table.admit().is_some());
    }
}
