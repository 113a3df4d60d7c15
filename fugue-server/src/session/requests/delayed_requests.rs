//! Requests that something has to be looked up for before they are decided, such as the path of a lease. What the same
//! client asks for meanwhile waits, so that its requests are decided in the order in which it made them.

use std::collections::{BTreeMap, VecDeque};

use crate::session::manager::Manager;
use crate::session::manager_inputs::ManagerInput;
use crate::session::storage::batch::Batch;

/// The requests behind a delayed one, by client. There are at most as many as a client may have in progress, and they
/// wait no longer than a lookup may take.
#[derive(Default)]
pub(crate) struct DelayedRequests(BTreeMap<u64, VecDeque<ManagerInput>>);

impl DelayedRequests {
    /// Keeps a request if an earlier one of its client is delayed. Otherwise returns it.
    fn keep_behind(&mut self, input: ManagerInput) -> Option<ManagerInput> {
        match client_of(&input).and_then(|client| self.0.get_mut(&client)) {
            Some(behind) => {
                behind.push_back(input);
                None
            }
            None => Some(input),
        }
    }

    /// Has the requests of a client wait from now on.
    fn begin(&mut self, client: u64) {
        self.0.entry(client).or_default();
    }

    /// Returns the next request of a client. If there is none, no request waits from now on.
    fn next(&mut self, client: u64) -> Option<ManagerInput> {
        let next = self.0.get_mut(&client)?.pop_front();
        if next.is_none() {
            self.0.remove(&client);
        }
        next
    }
}

fn client_of(input: &ManagerInput) -> Option<u64> {
    match input {
        ManagerInput::Request { feed, .. } => Some(feed.client),
        _ => None,
    }
}

impl Manager {
    /// Handles an input, unless it is a request that must wait.
    pub(crate) fn receive_in_order(&mut self, input: ManagerInput, batch: &mut Batch) {
        if let Some(input) = self.delayed.keep_behind(input) {
            self.prepare(input, batch);
        }
    }

    /// Handles a request whose lookup has ended, and those that wait behind it, up to the next one that needs a lookup.
    pub(crate) fn receive_prepared(&mut self, input: ManagerInput, batch: &mut Batch) {
        let client = client_of(&input);
        self.receive_now(input, batch);
        while let Some(next) = client.and_then(|client| self.delayed.next(client)) {
            if !self.prepare(next, batch) {
                return;
            }
        }
    }

    /// Handles an input now, or has something looked up for it first. Returns whether it was handled.
    fn prepare(&mut self, input: ManagerInput, batch: &mut Batch) -> bool {
        let client = client_of(&input);
        let input = self.find_survivors_first(input);
        let input = input.and_then(|input| self.lease_names.resolve_first(input, self.sender()));
        match input.and_then(|input| self.look_up_first(input)) {
            Some(input) => {
                self.receive_now(input, batch);
                true
            }
            None => {
                client.into_iter().for_each(|client| self.delayed.begin(client));
                false
            }
        }
    }
}
