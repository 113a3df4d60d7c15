//! Verbs of the relay, which carries messages between hosts: what is to be relayed, and what arrived.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agent_messages::{DeliveryState, MessageHeader, Recipient, Target};
use fugue_protocol::refusal::Quantity;
use fugue_protocol::verbs::{ConfirmOutbox, DeliverRemote, TakeOutbox};
use fugue_protocol::views::{
    Done, OutboxPage, PendingPayloads, RefusedDelivery, RemoteDeliveries, RemoteMessage, RemoteReceipt,
};
use fugue_protocol::{Event, FleetHost, MessageId, Refusal, SessionId, SessionRef, Timestamp, limits};

use super::{Perform, maximums};
use crate::decision::{Decision, PayloadSource, PendingWait, WaitSubject, WakeReason};
use crate::edge_request::EdgeRequest;
use crate::inbox::InboxSender;
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::World;

/// Refuses whoever is not the relay of a fleet: an agent could speak for other hosts, whatever its scope.
fn only_for_the_relay(context: &RequestContext) -> Result<(), Refusal> {
    if context.caller.is_agent() {
        return Err(Refusal::OnlyRelay);
    }
    context.settings.fleet.as_ref().map(drop).ok_or(Refusal::NoFleet)
}

impl Perform for TakeOutbox {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<OutboxPage>, Refusal> {
        only_for_the_relay(context)?;
        maximums::at_most("wait_ms", Quantity::Wait, self.wait_ms, limits::MESSAGE_WAIT_MS)?;
        let page = world.messages.outbox_page(&self.except);
        if self.wait_ms == 0 || !is_empty(&page) {
            return Ok(with_payloads(page));
        }
        let except = self.except;
        Ok(Decision::when(PendingWait {
            who: None,
            about: WaitSubject::Outbox,
            on: Vec::new(),
            until: Timestamp::from_millis(context.now.millis() + self.wait_ms),
            check: Box::new(move |world, wake_up| {
                let page = world.messages.outbox_page(&except);
                let is_over = !is_empty(&page) || wake_up.reason != WakeReason::Changed;
                is_over.then(|| with_payloads(page))
            }),
            abandoned: Vec::new(),
        }))
    }
}

fn is_empty(page: &OutboxPage) -> bool {
    page.messages.is_empty() && page.receipts.is_empty()
}

fn with_payloads(page: OutboxPage) -> Decision<OutboxPage> {
    Decision::later(EdgeRequest::Payloads(Box::new(PendingPayloads::Outbox(page))))
}

impl Perform for ConfirmOutbox {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        only_for_the_relay(context)?;
        let mut relayed = BTreeMap::<SessionId, Vec<MessageId>>::new();
        for confirmed in &self.relayed {
            let stored = world.messages.get(confirmed.message);
            if let Some(to) = stored.and_then(|stored| stored.recipient_on(&confirmed.host)) {
                relayed.entry(to.session).or_default().push(confirmed.message);
            }
        }
        let relayed =
            relayed.into_iter().map(|(session, messages)| Event::MessagesRelayed { session, messages });
        let is_from = |message: MessageId, host: &FleetHost| {
            let origin = world.messages.get(message).and_then(|stored| stored.header.origin.as_ref());
            origin.is_some_and(|origin| origin.host == *host)
        };
        let reported = self.reported.iter().filter(|receipt| is_from(receipt.message_id, &receipt.host));
        let messages: Vec<_> = reported.map(|receipt| (receipt.message_id, receipt.state)).collect();
        let reported = (!messages.is_empty()).then_some(Event::ReceiptsRelayed { messages });
        Ok(Decision::done().events(relayed).events(reported))
    }
}

impl Perform for DeliverRemote {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<RemoteDeliveries>, Refusal> {
        only_for_the_relay(context)?;
        let mut outcome = RemoteDeliveries { stored: 0, duplicates: 0, refused: Vec::new() };
        let (mut events, mut payloads, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for message in self.messages {
            let message_id = message.message.message_id;
            if !seen.insert(message_id) || is_known(world, message_id, &self.host) {
                outcome.duplicates += 1;
                continue;
            }
            match arrival(world, context, &self.host, message) {
                Ok((header, payload)) => {
                    outcome.stored += 1;
                    payloads.push((message_id, PayloadSource::Text(payload)));
                    events.push(Event::MessageSent(Box::new(header)));
                }
                Err(refusal) => {
                    outcome.refused.push(RefusedDelivery { message_id, reason: refusal.to_string() });
                }
            }
        }
        events.extend(receipts(world, &self.host, self.receipts));
        let decision = Decision::reply(outcome).events(events);
        Ok(payloads.into_iter().fold(decision, |decision, (message, text)| decision.payload(message, text)))
    }
}

fn is_known(world: &World, message: MessageId, host: &FleetHost) -> bool {
    let origin = world.messages.get(message).and_then(|stored| stored.header.origin.as_ref());
    origin.is_some_and(|origin| origin.host == *host)
}

/// Checks a message from another host, which is believed only as far as its own sessions are concerned. The bounds of an
/// inbox apply to the inbox as it was before the call, so one call may exceed them by its own messages.
fn arrival(
    world: &World,
    context: &RequestContext,
    host: &FleetHost,
    remote: RemoteMessage,
) -> Result<(MessageHeader, String), Refusal> {
    let message = remote.message;
    if world.messages.get(message.message_id).is_some() {
        let why = format!("message {} is not from host `{host}`", message.message_id);
        return Err(Refusal::NoRecipients { why });
    }
    let session = world.session(&remote.session)?;
    let payload = message.payload.as_ref().map(fugue_protocol::agent_messages::Payload::to_json);
    let payload = payload.unwrap_or_else(|| "{}".into());
    let (bytes, limit) = (payload.len(), limits::MESSAGE_BYTES);
    if bytes > limit {
        return Err(Refusal::MessageTooLarge { bytes, limit });
    }
    let (from, origin) = remote_sessions::sender(host, &message)?;
    let by = InboxSender::Agent(Some(from.session));
    super::message_draft::room_for(world, session.id, session.name.as_str(), by, bytes)?;
    let latest = Timestamp::from_millis(context.now.millis().saturating_add(limits::TTL_MOST_MS));
    let expires_at = message.expires_at.min(latest);
    if expires_at <= context.now {
        return Err(Refusal::NoRecipients { why: "the message expired in transit".into() });
    }
    // Only who was asked can answer.
    let asked = |original: &MessageId| {
        world.messages.get(*original).is_some_and(|stored| stored.recipient_on(host).is_some())
    };
    let header = MessageHeader {
        message: message.message_id,
        from: Some(from),
        origin: Some(origin),
        target: Target::Session(SessionRef::Name(session.name.to_string())),
        recipients: vec![Recipient { session: session.id, name: session.name.clone(), remote: None }],
        msg_type: message.msg_type,
        bytes,
        sent_at: message.sent_at.min(context.now),
        expires_at,
        reply_to: message.reply_to.filter(asked),
        key: None,
        resends: None,
        resent_by: None,
        digest: None,
        undelivered: Vec::new(),
    };
    Ok((header, payload))
}

/// The receipts that concern messages to that host, by recipient.
fn receipts(world: &World, host: &FleetHost, arrived: Vec<RemoteReceipt>) -> Vec<Event> {
    let mut by_recipient = BTreeMap::<SessionId, Vec<RemoteReceipt>>::new();
    for receipt in arrived.into_iter().filter(|receipt| receipt.state > DeliveryState::Relayed) {
        let stored = world.messages.get(receipt.message_id);
        if let Some(to) = stored.and_then(|stored| stored.recipient_on(host)) {
            by_recipient.entry(to.session).or_default().push(receipt);
        }
    }
    let event = |(session, receipts)| Event::ReceiptsArrived { session, receipts };
    by_recipient.into_iter().map(event).collect()
}
