//! Verbs that read inboxes and report delivery states.

use std::collections::BTreeSet;

use fugue_protocol::agent_messages::{DeliveryMethod, OfferedVia};
use fugue_protocol::refusal::{ArgumentProblem, Quantity, Quota};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{
    Awaited, InboxPage, MessageList, MessageReport, MessageView, PendingPayloads, TooLate,
};
use fugue_protocol::{Event, MessageId, Refusal, SessionId, SessionName, SessionRef, Timestamp, limits};

use super::{Perform, at_most};
use crate::decision::Decision;
use crate::decision::{PendingWait, WaitSubject, WakeReason};
use crate::edge_request::EdgeRequest;
use crate::inbox::StoredMessage;
use crate::message_filter::Filter;
use crate::request_context::RequestContext;
use crate::world::{Session, World};

/// The session whose inbox is read: agents read that of their own session, and only a person may read any. An agent outside
/// any pane has none.
pub(super) fn own_inbox<'a>(
    world: &'a World,
    wanted: Option<&SessionRef>,
    context: &RequestContext,
) -> Result<&'a Session, Refusal> {
    if wanted.is_none() && context.caller.is_agent_outside() {
        return Err(context.caller.not_inside());
    }
    let session = world.session_or_own(wanted, context)?;
    // A caller without any rights is refused by its scope, which is recorded.
    match may_read(session.id, world, context) || context.caller.has_no_rights() {
        true => Ok(session),
        false => Err(Refusal::NotYourInbox { session: session.name.to_string() }),
    }
}

/// Whether the caller may read the messages of a session: those of its own, or it is a person.
fn may_read(session: SessionId, world: &World, context: &RequestContext) -> bool {
    let own = || world.caller_pane(context).map(|pane| world.session_of(pane).id);
    !context.caller.is_agent() || own() == Some(session)
}

/// The message with its delivery states. Agents see what others write to each other, but not its contents.
fn report(message: &StoredMessage, world: &World, context: &RequestContext) -> MessageReport {
    let mut sessions = message.from().into_iter().chain(message.receipts.keys().copied());
    let is_shown = !context.caller.is_agent() || sessions.any(|session| may_read(session, world, context));
    let report = message.report();
    let hidden = MessageView { payload_hidden: !is_shown, ..report.message };
    MessageReport { message: hidden, ..report }
}

impl Perform for PollMessages {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<InboxPage>, Refusal> {
        let session = own_inbox(world, self.session.as_ref(), context)?;
        if self.limit == 0 && self.wait_ms > 0 {
            return Err(Refusal::argument("wait_ms", ArgumentProblem::NothingToWaitFor));
        }
        at_most("wait_ms", Quantity::Wait, self.wait_ms, limits::MESSAGE_WAIT_MS)?;
        let (acknowledged, too_late) = acknowledged(world, session.id, &self.acknowledge)?;
        let reading = InboxRead {
            session: session.id,
            name: session.name.clone(),
            filter: Filter::new(self.msg_types, self.from)?,
            after: self.after.unwrap_or_default(),
            limit: self.limit.min(limits::PAGE_MESSAGES),
            bytes: self.max_bytes.min(limits::PAGE_BYTES),
            acknowledged,
            too_late,
        };
        let wait_ms = self.wait_ms;
        let read = reading.read_event(context.now);
        let decision = match reading.page(world, context.now, (wait_ms > 0).then_some(Awaited::Arrived)) {
            Some(page) => page,
            None if wait_ms > 0 => {
                let who = context.caller.pane().map(|_| reading.session);
                Decision::when(reading.wait(world, who, context.now, wait_ms))
            }
            None => bodiless(reading.nothing(world)),
        };
        Ok(Decision { events: read.into_iter().chain(decision.events).collect(), ..decision })
    }
}

/// Splits the acknowledged messages into newly read ones and ones that were lost before. Repeating one is no error.
fn acknowledged(world: &World, session: SessionId, wanted: &[MessageId]) -> Result<Acknowledged, Refusal> {
    if wanted.len() > limits::ACKNOWLEDGED {
        return Err(Refusal::TooMany { what: Quota::AcknowledgedMessages, limit: limits::ACKNOWLEDGED });
    }
    let (mut read, mut too_late) = (Vec::new(), Vec::new());
    for message in wanted {
        let stored = world.messages.get(*message).ok_or(Refusal::MessageNotFound { message: *message })?;
        let receipt = stored.receipts.get(&session).ok_or(Refusal::MessageNotFound { message: *message })?;
        if receipt.state.is_unread() && !read.contains(message) {
            read.push(*message);
        }
        if receipt.state.is_lost() {
            too_late.push(TooLate { message_id: *message, state: receipt.state });
        }
    }
    Ok((read, too_late))
}

type Acknowledged = (Vec<MessageId>, Vec<TooLate>);

/// A read of an inbox.
struct InboxRead {
    session: SessionId,
    name: SessionName,
    filter: Filter,
    after: u64,
    limit: usize,
    bytes: usize,
    /// Messages acknowledged by this request, which count as read.
    acknowledged: Vec<MessageId>,
    /// Messages acknowledged too late.
    too_late: Vec<TooLate>,
}

impl InboxRead {
    fn read_event(&self, now: Timestamp) -> Option<Event> {
        let messages = self.acknowledged.clone();
        (!messages.is_empty()).then_some(Event::MessagesRead {
            session: self.session,
            messages,
            read_at: now,
        })
    }

    fn matching<'a>(&'a self, world: &'a World) -> impl Iterator<Item = &'a StoredMessage> {
        let unread = world.messages.unread(self.session).filter(|message| message.number > self.after);
        let unread = unread.filter(|message| !self.acknowledged.contains(&message.header.message));
        unread.filter(|message| self.filter.takes(message, world))
    }

    /// The page and the event that offers it; none when there is nothing to read.
    fn page(&self, world: &World, now: Timestamp, outcome: Option<Awaited>) -> Option<Decision<InboxPage>> {
        let mut room = self.bytes;
        let mut page = Vec::new();
        let mut more = 0;
        for message in self.matching(world) {
            let fits = page.is_empty() || message.header.bytes <= room;
            if page.len() < self.limit && fits && more == 0 {
                room = room.saturating_sub(message.header.bytes);
                page.push(message);
            } else {
                more += 1;
            }
        }
        let next = page.last()?.number;
        let offered: Vec<_> =
            page.iter().filter(|message| self.is_news(message)).map(|l| l.header.message).collect();
        let offered = (!offered.is_empty()).then_some(Event::MessagesOffered {
            session: self.session,
            messages: offered,
            how: OfferedVia::Polled,
            offered_at: now,
        });
        let messages = page.iter().map(|message| message.view()).collect();
        let page = InboxPage { messages, more, next: Some(next), outcome, ..self.nothing(world) };
        Some(bodiless(page).events(offered))
    }

    /// Whether a message was never shown to its reader; an announcement does not count.
    fn is_news(&self, message: &StoredMessage) -> bool {
        let receipt = message.receipts.get(&self.session);
        receipt.is_some_and(|receipt| !receipt.how.is_some_and(OfferedVia::is_shown))
    }

    fn nothing(&self, world: &World) -> InboxPage {
        InboxPage {
            session_id: self.session,
            session_name: self.name.clone(),
            messages: Vec::new(),
            acknowledged: self.acknowledged.len(),
            too_late: self.too_late.clone(),
            more: 0,
            unread: self.unread(world),
            next: None,
            outcome: None,
            circle: Vec::new(),
        }
    }

    fn unread(&self, world: &World) -> usize {
        let still = |message: &&MessageId| {
            let message =
                world.messages.get(**message).and_then(|message| message.receipts.get(&self.session));
            message.is_some_and(|receipt| receipt.state.is_unread())
        };
        world.messages.count(self.session) - self.acknowledged.iter().filter(still).count()
    }

    fn wait(
        self,
        world: &World,
        who: Option<SessionId>,
        now: Timestamp,
        wait_ms: u64,
    ) -> PendingWait<InboxPage> {
        PendingWait {
            who,
            about: WaitSubject::Inbox(self.session),
            on: self.filter.senders(world).iter().map(|session| session.id).collect(),
            until: Timestamp::from_millis(now.millis() + wait_ms),
            check: Box::new(move |world, wake_up| {
                let over = |outcome, circle| {
                    let page = InboxPage { outcome: Some(outcome), circle, ..self.nothing(world) };
                    Some(bodiless(page))
                };
                let arrived = self.page(world, wake_up.now, Some(Awaited::Arrived));
                match (&wake_up.reason, arrived) {
                    (_, Some(page)) => Some(page),
                    (WakeReason::Changed, None) if world.sessions.contains_key(&self.session) => None,
                    (WakeReason::Changed | WakeReason::Timeout, None) => over(Awaited::Timeout, Vec::new()),
                    (WakeReason::Deadlock(names), None) => over(Awaited::Circle, names.clone()),
                }
            }),
            abandoned: Vec::new(),
        }
    }
}

/// Lets the edge fill in the payloads, which are on disk.
fn bodiless(page: InboxPage) -> Decision<InboxPage> {
    Decision::later(EdgeRequest::Payloads(Box::new(PendingPayloads::Inbox(page))))
}

impl Perform for MessageStatus {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<MessageReport>, Refusal> {
        let message = world.messages.get(self.message_id);
        let message = message.ok_or(Refusal::MessageNotFound { message: self.message_id })?;
        Ok(Decision::later(EdgeRequest::Payloads(Box::new(PendingPayloads::Report(report(
            message, world, context,
        ))))))
    }
}

impl Perform for ListMessages {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<MessageList>, Refusal> {
        let only = self.session.as_ref().map(|session| now_or_before(world, session)).transpose()?;
        let filter = Filter::new(self.msg_types.clone(), Vec::new())?;
        let wanted = |message: &&StoredMessage| {
            let states = || message.states();
            only.as_ref().is_none_or(|sessions| sessions.iter().any(|session| concerns(message, *session)))
                && self.before.is_none_or(|before| message.number < before)
                && self.state.is_none_or(|wanted| states().any(|state| state == wanted))
                && (!self.dead || states().any(|state| state.is_lost()))
                && filter.takes(message, world)
        };
        let mut newest = world.messages.all().rev().filter(wanted);
        let page = newest.by_ref().take(self.limit.min(limits::PAGE_MESSAGES));
        let mut messages: Vec<_> = page.map(|message| report(message, world, context)).collect();
        messages.reverse();
        let older = newest.count();
        let list = PendingPayloads::List(MessageList { messages, older });
        Ok(Decision::later(EdgeRequest::Payloads(Box::new(list))))
    }
}

/// The session of this name; for closed sessions, all that had it, according to their messages.
fn now_or_before(world: &World, wanted: &SessionRef) -> Result<BTreeSet<SessionId>, Refusal> {
    let refusal = match world.session(wanted) {
        Ok(session) => return Ok([session.id].into()),
        Err(refusal) => refusal,
    };
    let wanted = wanted.to_string();
    let ends = |message: &StoredMessage| {
        let from = message.header.from.iter().map(|from| (from.session, from.name.clone()));
        let to = message.header.recipients.iter().map(|to| (to.session, to.name.clone()));
        from.chain(to).collect::<Vec<_>>()
    };
    let had =
        |(session, name): &(SessionId, SessionName)| name.as_str() == wanted || session.to_string() == wanted;
    let before: BTreeSet<_> =
        world.messages.all().flat_map(ends).filter(had).map(|(session, _)| session).collect();
    if before.is_empty() { Err(refusal) } else { Ok(before) }
}

fn concerns(message: &StoredMessage, session: SessionId) -> bool {
    message.from() == Some(session) || message.receipts.contains_key(&session)
}

impl World {
    /// The number of unread messages that match the session's subscription.
    pub fn unread_in_sight(&self, session: SessionId) -> usize {
        let Some(subscription) = self.sessions.get(&session).map(|session| &session.subscription) else {
            return 0;
        };
        if subscription.msg_types.is_empty() && subscription.from.is_empty() {
            return self.messages.count(session);
        }
        let filter = Filter::of(subscription);
        self.messages.unread(session).filter(|message| filter.takes(message, self)).count()
    }

    /// The number of those that the user wrote.
    pub(crate) fn unread_of_user(&self, session: SessionId) -> usize {
        let Some(session) = self.sessions.get(&session) else { return 0 };
        let filter = Filter::of(&session.subscription);
        let is_from_user = |one: &&StoredMessage| one.header.from_user && filter.takes(one, self);
        self.messages.unread(session.id).filter(is_from_user).count()
    }

    /// The unread count that every reply to this caller carries.
    pub fn unread_counted(&self, session: SessionId) -> usize {
        let counts = self
            .sessions
            .get(&session)
            .is_some_and(|session| session.subscription.ways().contains(&DeliveryMethod::Count));
        if counts { self.unread_in_sight(session) } else { 0 }
    }
}
