//! Hands items from other hosts to a daemon.

use std::time::Instant;

use fugue_protocol::FleetHost;
use fugue_protocol::verbs::{DeliverRemote, StartRemote};
use fugue_protocol::views::{Done, RefusedDelivery, RemoteMessage};

use crate::daemon_link::DaemonLink;
use crate::envelope::Envelope;
use crate::failure::say;
use crate::rate_limit::RateLimit;

/// The most that one call to the daemon holds, in bytes.
const CALL_BYTES: usize = 1 << 20;

/// An item, the host that it comes from, and its size.
pub(crate) struct Item {
    pub(crate) from: FleetHost,
    pub(crate) envelope: Envelope,
    pub(crate) bytes: usize,
}

/// The messages that a daemon refuses, with the hosts that sent them.
pub(crate) type RefusedDeliveries = Vec<(FleetHost, RefusedDelivery)>;

/// A daemon that takes items of other hosts.
pub(crate) struct Delivery {
    /// The daemon's host.
    pub(crate) host: FleetHost,
    pub(crate) daemon: DaemonLink,
    pub(crate) limit: RateLimit,
}

impl Delivery {
    /// Hands items to the daemon, in one call for neighbors from the same host. Once this returns, the daemon has stored
    /// them, except for those that it refuses.
    pub(crate) async fn take(&mut self, items: Vec<Item>) -> RefusedDeliveries {
        let (mut call, mut refused): (Option<(DeliverRemote, usize)>, _) = (None, RefusedDeliveries::new());
        for item in items {
            let is_start = item.envelope.is_start();
            let is_full = |(call, bytes): &(DeliverRemote, usize)| {
                is_start || call.host != item.from || bytes + item.bytes > CALL_BYTES
            };
            if call.as_ref().is_some_and(is_full)
                && let Some((call, _)) = call.take()
            {
                refused.extend(self.deliver(call).await);
            }
            let empty = || (empty_call(item.from.clone()), 0);
            match item.envelope {
                Envelope::Message(request) if is_start => {
                    refused.extend(self.start(item.from, *request).await);
                }
                envelope => {
                    let (call, bytes) = call.get_or_insert_with(empty);
                    *bytes += item.bytes;
                    match envelope {
                        Envelope::Message(message) => call.messages.push(*message),
                        Envelope::Receipts(receipts) => call.receipts.extend(receipts),
                        // It never leaves the relay.
                        Envelope::RoundTrip(_) => {}
                    }
                }
            }
        }
        if let Some((call, _)) = call {
            refused.extend(self.deliver(call).await);
        }
        refused
    }

    /// Has the daemon create a session for another host. The receipt comes from the daemon's outbox, unless it refuses.
    async fn start(&mut self, host: FleetHost, request: RemoteMessage) -> RefusedDeliveries {
        if !self.limit.take(&host, Instant::now()) {
            return self.refuse_new(empty_call(host), vec![request]).await;
        }
        let message_id = request.message.message_id;
        let call = StartRemote { host: host.clone(), request };
        match self.daemon.settle(&call).await {
            Ok(Done {}) => RefusedDeliveries::new(),
            Err(refused) => {
                say(&format!("created no session for host `{host}`: {}", refused.message));
                vec![(host, RefusedDelivery { message_id, reason: refused.message, nobody: false })]
            }
        }
    }

    /// Delivers messages and receipts of one host.
    async fn deliver(&mut self, mut call: DeliverRemote) -> RefusedDeliveries {
        let now = Instant::now();
        let (taken, over): (Vec<_>, Vec<_>) =
            std::mem::take(&mut call.messages).into_iter().partition(|_| self.limit.take(&call.host, now));
        call.messages = taken;
        let host = call.host.clone();
        let refused = self.daemon.persist(&call).await.refused;
        let mut refused: RefusedDeliveries =
            refused.into_iter().map(|refused| (host.clone(), refused)).collect();
        if !over.is_empty() {
            refused.extend(self.refuse_new(empty_call(host), over).await);
        }
        refused
    }

    /// Refuses messages of a host that has sent too many, except those that the daemon has already: they arrive again
    /// because an acknowledgment got lost.
    async fn refuse_new(&mut self, call: DeliverRemote, messages: Vec<RemoteMessage>) -> RefusedDeliveries {
        let host = call.host.clone();
        let reason = format!("host `{}` accepts no more messages from host `{host}` this minute", self.host);
        let call = DeliverRemote { messages, refuse_new: Some(reason), ..call };
        let refused = self.daemon.persist(&call).await.refused;
        if !refused.is_empty() {
            let count = refused.len();
            say(&format!("refused {count} messages from host `{host}`, which exceeded its rate limit"));
        }
        refused.into_iter().map(|refused| (host.clone(), refused)).collect()
    }
}

fn empty_call(host: FleetHost) -> DeliverRemote {
    DeliverRemote { host, messages: Vec::new(), receipts: Vec::new(), refuse_new: None }
}
