//! What verbs that read messages do, and those that ask what became of them.

use std::collections::BTreeSet;

use fugue_protocol::orchestration::{DeliveryMethod, OfferedVia};
use fugue_protocol::refusal::{ArgumentProblem, Quantity, Quota};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Awaited, InboxPage, MessageList, MessageReport, PendingBodies, TooLate};
use fugue_protocol::{Event, MessageId, Refusal, SessionId, SessionName, SessionRef, Timestamp, limits};

use super::{Perform, bounds};
use crate::decision::Decision;
use crate::edge_request::EdgeRequest;
use crate::inbox::{Filter, Letter};
use crate::request_context::RequestContext;
use crate::waits::{About, Wait, Why};
use crate::world::{Session, World};

/// The session whose inbox is meant: an agent has its own, a person may look into any.
pub(super) fn own_inbox<'a>(
    world: &'a World,
    wanted: Option<&SessionRef>,
    asking: &RequestContext,
) -> Result<&'a Session, Refusal> {
    let session = world.session_or_own(wanted, asking)?;
    let own = world.caller_pane(asking).map(|pane| world.session_of(pane).id);
    match asking.caller.pane() {
        Some(_) if own != Some(session.id) => {
            Err(Refusal::NotYourInbox { session: session.name.to_string() })
        }
        _ => Ok(session),
    }
}

impl Perform for PollMessages {
    fn perform(self, world: &World, asking: &RequestContext) -> Result<Decision<InboxPage>, Refusal> {
        let session = own_inbox(world, self.session.as_ref(), asking)?;
        if self.limit == 0 && self.wait_ms > 0 {
            return Err(Refusal::argument("wait_ms", ArgumentProblem::NothingToWaitFor));
        }
        bounds::at_most("wait_ms", Quantity::Wait, self.wait_ms, limits::MESSAGE_WAIT_MS)?;
        let (acknowledged, too_late) = acknowledged(world, session.id, &self.acknowledge)?;
        let reading = Reading {
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
        let read = reading.read_event(asking.now);
        let decision = match reading.page(world, asking.now, (wait_ms > 0).then_some(Awaited::Arrived)) {
            Some(page) => page,
            None if wait_ms > 0 => {
                let who = asking.caller.pane().map(|_| reading.session);
                Decision::when(reading.wait(world, who, asking.now, wait_ms))
            }
            None => bodiless(reading.nothing(world)),
        };
        Ok(Decision { events: read.into_iter().chain(decision.events).collect(), ..decision })
    }
}

/// What is acknowledged, and what was given up before that. What was read before is no mistake.
fn acknowledged(world: &World, session: SessionId, wanted: &[MessageId]) -> Result<Acknowledged, Refusal> {
    if wanted.len() > limits::ACKNOWLEDGED {
        return Err(Refusal::TooMany { what: Quota::AcknowledgedMessages, limit: limits::ACKNOWLEDGED });
    }
    let (mut read, mut too_late) = (Vec::new(), Vec::new());
    for message in wanted {
        let letter = world.mail.letter(*message).ok_or(Refusal::MessageNotFound { message: *message })?;
        let receipt = letter.receipts.get(&session).ok_or(Refusal::MessageNotFound { message: *message })?;
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

/// A look into an inbox.
struct Reading {
    session: SessionId,
    name: SessionName,
    filter: Filter,
    after: u64,
    limit: usize,
    bytes: usize,
    /// What is acknowledged with it, and counts as read already.
    acknowledged: Vec<MessageId>,
    /// What was acknowledged with it too late.
    too_late: Vec<TooLate>,
}

impl Reading {
    fn read_event(&self, now: Timestamp) -> Option<Event> {
        let messages = self.acknowledged.clone();
        (!messages.is_empty()).then_some(Event::MessagesRead {
            session: self.session,
            messages,
            read_at: now,
        })
    }

    fn matching<'a>(&'a self, world: &'a World) -> impl Iterator<Item = &'a Letter> {
        let unread = world.mail.unread(self.session).filter(|letter| letter.number > self.after);
        let unread = unread.filter(|letter| !self.acknowledged.contains(&letter.envelope.message));
        unread.filter(|letter| self.filter.takes(letter, world))
    }

    /// The page there is, which is offered by this; none when there is nothing.
    fn page(&self, world: &World, now: Timestamp, outcome: Option<Awaited>) -> Option<Decision<InboxPage>> {
        let mut room = self.bytes;
        let mut page = Vec::new();
        let mut more = 0;
        for letter in self.matching(world) {
            let fits = page.is_empty() || letter.envelope.bytes <= room;
            if page.len() < self.limit && fits && more == 0 {
                room = room.saturating_sub(letter.envelope.bytes);
                page.push(letter);
            } else {
                more += 1;
            }
        }
        let next = page.last()?.number;
        let offered: Vec<_> =
            page.iter().filter(|letter| self.is_news(letter)).map(|l| l.envelope.message).collect();
        let offered = (!offered.is_empty()).then_some(Event::MessagesOffered {
            session: self.session,
            messages: offered,
            how: OfferedVia::Polled,
            offered_at: now,
        });
        let messages = page.iter().map(|letter| letter.view()).collect();
        let page = InboxPage { messages, more, next: Some(next), outcome, ..self.nothing(world) };
        Some(bodiless(page).events(offered))
    }

    /// Whether it was never put before its reader; that its reader was told of it is less.
    fn is_news(&self, letter: &Letter) -> bool {
        let receipt = letter.receipts.get(&self.session);
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
            let letter = world.mail.letter(**message).and_then(|letter| letter.receipts.get(&self.session));
            letter.is_some_and(|receipt| receipt.state.is_unread())
        };
        world.mail.count(self.session) - self.acknowledged.iter().filter(still).count()
    }

    fn wait(self, world: &World, who: Option<SessionId>, now: Timestamp, wait_ms: u64) -> Wait<InboxPage> {
        Wait {
            who,
            about: About::Inbox(self.session),
            on: self.filter.senders(world).iter().map(|session| session.id).collect(),
            until: Timestamp::from_millis(now.millis() + wait_ms),
            look: Box::new(move |world, moment| {
                let over = |outcome, circle| {
                    let page = InboxPage { outcome: Some(outcome), circle, ..self.nothing(world) };
                    Some(bodiless(page))
                };
                let arrived = self.page(world, moment.now, Some(Awaited::Arrived));
                match (&moment.why, arrived) {
                    (_, Some(page)) => Some(page),
                    (Why::Changed, None) if world.sessions.contains_key(&self.session) => None,
                    (Why::Changed | Why::TimeUp, None) => over(Awaited::Timeout, Vec::new()),
                    (Why::Circle(names), None) => over(Awaited::Circle, names.clone()),
                }
            }),
            abandoned: Vec::new(),
        }
    }
}

/// A page whose bodies are still on the disk.
fn bodiless(page: InboxPage) -> Decision<InboxPage> {
    Decision::later(EdgeRequest::Bodies(Box::new(PendingBodies::Inbox(page))))
}

impl Perform for MessageStatus {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<MessageReport>, Refusal> {
        let letter = world.mail.letter(self.message_id);
        let letter = letter.ok_or(Refusal::MessageNotFound { message: self.message_id })?;
        Ok(Decision::later(EdgeRequest::Bodies(Box::new(PendingBodies::Report(letter.report())))))
    }
}

impl Perform for ListMessages {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<MessageList>, Refusal> {
        let only = self.session.as_ref().map(|session| now_or_before(world, session)).transpose()?;
        let filter = Filter::new(self.msg_types.clone(), Vec::new())?;
        let wanted = |letter: &&Letter| {
            let states = || letter.receipts.values().map(|receipt| receipt.state);
            only.as_ref().is_none_or(|sessions| sessions.iter().any(|session| concerns(letter, *session)))
                && self.before.is_none_or(|before| letter.number < before)
                && self.state.is_none_or(|wanted| states().any(|state| state == wanted))
                && (!self.dead || states().any(|state| state.is_lost()))
                && filter.takes(letter, world)
        };
        let mut newest = world.mail.letters().rev().filter(wanted);
        let mut messages: Vec<_> =
            newest.by_ref().take(self.limit.min(limits::PAGE_MESSAGES)).map(Letter::report).collect();
        messages.reverse();
        let older = newest.count();
        let list = PendingBodies::List(MessageList { messages, older });
        Ok(Decision::later(EdgeRequest::Bodies(Box::new(list))))
    }
}

/// The session of this name; if it is closed, those that had it, as their mail tells.
fn now_or_before(world: &World, wanted: &SessionRef) -> Result<BTreeSet<SessionId>, Refusal> {
    let refusal = match world.session(wanted) {
        Ok(session) => return Ok([session.id].into()),
        Err(refusal) => refusal,
    };
    let wanted = wanted.to_string();
    let ends = |letter: &Letter| {
        let from = letter.envelope.from.iter().map(|from| (from.session, from.name.clone()));
        let to = letter.envelope.recipients.iter().map(|to| (to.session, to.name.clone()));
        from.chain(to).collect::<Vec<_>>()
    };
    let had =
        |(session, name): &(SessionId, SessionName)| name.as_str() == wanted || session.to_string() == wanted;
    let before: BTreeSet<_> =
        world.mail.letters().flat_map(ends).filter(had).map(|(session, _)| session).collect();
    if before.is_empty() { Err(refusal) } else { Ok(before) }
}

fn concerns(letter: &Letter, session: SessionId) -> bool {
    letter.from() == Some(session) || letter.receipts.contains_key(&session)
}

impl World {
    /// Unread messages that a session wants to be told of.
    pub fn unread_in_sight(&self, session: SessionId) -> usize {
        let Some(subscription) = self.sessions.get(&session).map(|session| &session.subscription) else {
            return 0;
        };
        if subscription.msg_types.is_empty() && subscription.from.is_empty() {
            return self.mail.count(session);
        }
        let filter = Filter::of(subscription);
        self.mail.unread(session).filter(|letter| filter.takes(letter, self)).count()
    }

    /// How many of them stand in the answer to every call.
    pub fn unread_counted(&self, session: SessionId) -> usize {
        let counts = self
            .sessions
            .get(&session)
            .is_some_and(|session| session.subscription.ways().contains(&DeliveryMethod::Count));
        if counts { self.unread_in_sight(session) } else { 0 }
    }
}
