//! Requests that are not answered yet. The machine knows each by its ticket.

use std::collections::BTreeMap;

use fugue_core::Answered;
use fugue_core::Ticket;
use fugue_protocol::SessionName;

use crate::client::ClientFeed;
use crate::replies::reply::Reply;

/// The replies that are still to be sent, and whose they are.
#[derive(Default)]
pub(crate) struct PendingRequests {
    pending: BTreeMap<Ticket, (Reply, ClientFeed)>,
    last_ticket: Ticket,
}

impl PendingRequests {
    /// Adds a request and returns its ticket.
    pub(crate) fn add(&mut self, reply: Reply, feed: ClientFeed) -> Ticket {
        self.last_ticket += 1;
        self.pending.insert(self.last_ticket, (reply, feed));
        self.last_ticket
    }

    /// Returns the ticket of a request to which nobody wants the answer.
    pub(crate) fn unanswered(&mut self) -> Ticket {
        self.last_ticket += 1;
        self.last_ticket
    }

    /// Removes a request, for its reply to be sent by someone else.
    pub(crate) fn take(&mut self, ticket: Ticket) -> Option<(Reply, ClientFeed)> {
        self.pending.remove(&ticket)
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, ticket: Ticket, answer: Answered) {
        if let Some((reply, _)) = self.take(ticket) {
            reply.send(answer);
        }
    }

    /// Records that the programs of a request are being started, if its caller may repeat it.
    pub(crate) fn mark_begun(&self, ticket: Ticket) {
        if let Some(slot) = self.pending.get(&ticket).and_then(|(reply, _)| reply.answer_slot()) {
            slot.store.mark_begun(slot.call.key(), slot.call.digest());
        }
    }

    /// Adds to the reply of a request the session that was assumed.
    pub(crate) fn assume(&mut self, ticket: Ticket, session: SessionName) {
        if let Some((reply, _)) = self.pending.get_mut(&ticket) {
            reply.set_assumed(session);
        }
    }

    /// Whether nobody waits for the answer to a request any more.
    pub(crate) fn is_abandoned(&self, ticket: Ticket) -> bool {
        self.pending.get(&ticket).is_none_or(|(reply, _)| reply.is_abandoned())
    }

    /// Returns the process id of the client that made a request.
    pub(crate) fn pid(&self, ticket: Ticket) -> Option<u32> {
        self.pending.get(&ticket).and_then(|(_, feed)| feed.pid)
    }

    /// Returns the number of the client that made a request, if it is a person's terminal.
    pub(crate) fn terminal(&self, ticket: Ticket) -> Option<u64> {
        let (_, feed) = self.pending.get(&ticket)?;
        feed.is_terminal.then_some(feed.client)
    }
}
