//! A client's long-running requests that can be cancelled: by a message from the client, or by its disconnecting.

use std::collections::BTreeMap;

use fugue_protocol::Verb;
use tokio::sync::oneshot;

use crate::replies::reply::Reply;

/// Cancellable requests by id. Dropping this cancels all of them.
#[derive(Default)]
pub(super) struct Cancellations {
    pending: BTreeMap<u64, oneshot::Sender<()>>,
    /// The number of entries at which those that were answered are removed.
    prune_at: usize,
}

impl Cancellations {
    /// Registers a request if it may take long.
    pub(super) fn register(&mut self, verb: &Verb, id: u64, reply: Reply) -> Reply {
        if !matches!(verb, Verb::Wait(_) | Verb::Run(_)) {
            return reply;
        }
        if self.pending.len() >= self.prune_at {
            self.pending.retain(|_, cancel| !cancel.is_closed());
            // Twice the requests in progress, so that the amortized cost of pruning is constant.
            self.prune_at = 2 * self.pending.len() + 16;
        }
        let (reply, cancel) = reply.cancellable();
        self.pending.insert(id, cancel);
        reply
    }

    /// Cancels a request, unless it was answered.
    pub(super) fn cancel(&mut self, id: u64) {
        if let Some(cancel) = self.pending.remove(&id) {
            let _ = cancel.send(());
        }
    }
}
