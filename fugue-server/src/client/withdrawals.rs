//! Requests that wait, and how each is withdrawn: by a word of the client's, or with the client itself.

use std::collections::BTreeMap;

use fugue_protocol::Verb;
use tokio::sync::oneshot;

use crate::reply::Reply;

/// A client's requests that may be withdrawn, by id. Dropping them withdraws them all.
#[derive(Default)]
pub(super) struct Withdrawals {
    waiting: BTreeMap<u64, oneshot::Sender<()>>,
    /// When so many are listed, those that were answered are struck off.
    full: usize,
}

impl Withdrawals {
    /// Lists a request that may take long.
    pub(super) fn may_withdraw(&mut self, verb: &Verb, id: u64, reply: Reply) -> Reply {
        if !matches!(verb, Verb::Wait(_) | Verb::Run(_)) {
            return reply;
        }
        if self.waiting.len() >= self.full {
            self.waiting.retain(|_, withdraw| !withdraw.is_closed());
            // Twice as many as are under way: each is struck off once for each that is listed.
            self.full = 2 * self.waiting.len() + 16;
        }
        let (reply, withdraw) = reply.withdrawable();
        self.waiting.insert(id, withdraw);
        reply
    }

    /// Withdraws a request; one that was answered stays so.
    pub(super) fn withdraw(&mut self, id: u64) {
        if let Some(withdraw) = self.waiting.remove(&id) {
            let _ = withdraw.send(());
        }
    }
}
