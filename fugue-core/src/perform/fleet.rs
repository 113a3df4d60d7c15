//! Verbs of the relay, which carries messages between hosts: what is to be relayed, and what arrived.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agent_messages::Recipient;
use fugue_protocol::refusal::Quantity;
use fugue_protocol::verbs::{ConfirmOutbox, DeliverRemote, ExpandOutbox, TakeOutbox};
use fugue_protocol::views::{
    Done, OutboxPage, PendingPayloads, RefusedDelivery, RemoteDeliveries, RemoteReceipt,
};
use fugue_protocol::{Event, FleetHost, MessageId, Refusal, SessionId, Timestamp, limits};

use super::fleet_arrivals::{Arrival, RefusedArrival, arrival};
use super::{Perform, at_most, fleet_groups};
use crate::decision::{Decision, PayloadSource, PendingWait, WaitSubject, WakeReason};
use crate::edge_request::EdgeRequest;
use crate::inbox::OutboxFilter;
use crate::request_context::RequestContext;
use crate::world::World;

/// Refuses whoever is not the relay of a fleet: an agent could speak for other hosts, whatever its scope.
pub(super) fn only_for_the_relay(context: &RequestContext) -> Result<(), Refusal> {
    if context.caller.is_agent() {
        return Err(Refusal::OnlyRelay);
    }
    context.settings.fleet.as_ref().map(drop).ok_or(Refusal::NoFleet)
}

impl Perform for TakeOutbox {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<OutboxPage>, Refusal> {
        only_for_the_relay(context)?;
        at_most("wait_ms", Quantity::Wait, self.wait_ms, limits::MESSAGE_WAIT_MS)?;
        let wanted = OutboxFilter::new(&self);
        let page = world.messages.outbox_page(&wanted, context.now);
        if self.wait_ms == 0 || !is_empty(&page) {
            return Ok(with_payloads(page));
        }
        Ok(Decision::when(PendingWait {
            who: None,
            about: WaitSubject::Outbox,
            on: Vec::new(),
            until: Timestamp::from_millis(context.now.millis() + self.wait_ms),
            check: Box::new(move |world, wake_up| {
                let page = world.messages.outbox_page(&wanted, wake_up.now);
                let is_over = !is_empty(&page) || wake_up.reason != WakeReason::Changed;
                is_over.then(|| with_payloads(page))
            }),
            abandoned: Vec::new(),
        }))
    }
}

fn is_empty(page: &OutboxPage) -> bool {
    page.messages.is_empty() && page.receipts.is_empty() && page.groups.is_empty()
}

fn with_payloads(page: OutboxPage) -> Decision<OutboxPage> {
    Decision::later(EdgeRequest::Payloads(Box::new(PendingPayloads::Outbox(page))))
}

impl Perform for ExpandOutbox {
    /// A message to a group goes to the hosts that are there now, and to no others.
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        only_for_the_relay(context)?;
        let own = context.settings.fleet.as_ref().map(|fleet| &fleet.host);
        let hosts: BTreeSet<_> = self.hosts.into_iter().filter(|host| Some(host) != own).collect();
        let stored: Vec<_> =
            self.messages.iter().filter_map(|message| world.messages.get(*message)).collect();
        let events = stored.into_iter().map(|stored| fleet_groups::expand(stored, &hosts));
        Ok(Decision::done().events(events.collect::<Result<Vec<_>, _>>()?.into_iter().flatten()))
    }
}

impl Perform for ConfirmOutbox {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        only_for_the_relay(context)?;
        let mut relayed = BTreeMap::<SessionId, Vec<MessageId>>::new();
        for confirmed in &self.relayed {
            let stored = world.messages.get(confirmed.message);
            for to in stored.into_iter().flat_map(|stored| stored.recipients_on(&confirmed.host)) {
                relayed.entry(to.session).or_default().push(confirmed.message);
            }
        }
        let relayed = relayed.into_iter().map(|(session, messages)| Event::MessagesRelayed {
            session,
            messages,
            relayed_at: context.now,
        });
        let reported = |receipt: &RemoteReceipt| {
            let stored = world.messages.get(receipt.message_id)?;
            let is_from = stored.header.origin.as_ref().is_some_and(|origin| origin.host == receipt.host);
            let is_it = |to: &&Recipient| receipt.session.as_ref().is_none_or(|name| *name == to.name);
            let to = stored.header.recipients.iter().find(is_it).filter(|_| is_from)?;
            Some((receipt.message_id, to.session, receipt.state))
        };
        let messages: Vec<_> = self.reported.iter().filter_map(reported).collect();
        let reported = (!messages.is_empty()).then_some(Event::ReceiptsRelayed { messages });
        Ok(Decision::done().events(relayed).events(reported))
    }
}

impl Perform for DeliverRemote {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<RemoteDeliveries>, Refusal> {
        only_for_the_relay(context)?;
        let mut outcome = RemoteDeliveries { stored: 0, duplicates: 0, refused: Vec::new() };
        let (mut events, mut payloads, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut missed = Vec::new();
        for message in self.messages {
            let message_id = message.message.message_id;
            if !seen.insert(message_id) || is_known(world, message_id, &self.host) {
                outcome.duplicates += 1;
                missed.extend(is_known(world, message_id, &self.host).then_some(message_id));
                continue;
            }
            if let Some(reason) = &self.refuse_new {
                let (reason, nobody) = (reason.clone(), false);
                outcome.refused.push(RefusedDelivery { message_id, reason, nobody });
                continue;
            }
            match arrival(world, context, &self.host, message) {
                Ok(Arrival { header, payload, full }) => {
                    outcome.stored += 1;
                    payloads.push((message_id, PayloadSource::Text(payload)));
                    events.push(Event::MessageSent(Box::new(header)));
                    events.extend(full);
                }
                Err(RefusedArrival { reason, nobody }) => {
                    outcome.refused.push(RefusedDelivery { message_id, reason, nobody });
                }
            }
        }
        events.extend((!missed.is_empty()).then_some(Event::ReceiptsMissed { messages: missed }));
        events.extend(fleet_groups::receipts(world, &self.host, self.receipts));
        let decision = Decision::reply(outcome).events(events);
        Ok(payloads.into_iter().fold(decision, |decision, (message, text)| decision.payload(message, text)))
    }
}

/// Whether a message from this host arrived before.
pub(super) fn is_known(world: &World, message: MessageId, host: &FleetHost) -> bool {
    let origin = world.messages.get(message).and_then(|stored| stored.header.origin.as_ref());
    origin.is_some_and(|origin| origin.host == *host)
}
