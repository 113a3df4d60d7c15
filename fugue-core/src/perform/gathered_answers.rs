//! Waiting for the answers to a message: for the first one, or for those of several recipients. The answers that a call
//! returns are acknowledged by it.

use std::collections::BTreeSet;

use fugue_protocol::agent_messages::OfferedVia;
use fugue_protocol::verbs::AnswerCount;
use fugue_protocol::views::{Awaited, PendingPayloads, RecipientView, Sent};
use fugue_protocol::{Event, MessageId, SessionId, Timestamp};

use crate::decision::{Decision, PendingWait, WaitSubject, WakeReason, WakeUp};
use crate::edge_request::EdgeRequest;
use crate::inbox::StoredMessage;
use crate::world::World;

/// Whether and for which answers a sender waits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnswerWait {
    pub(super) wait_ms: Option<u64>,
    pub(super) wait_for: AnswerCount,
}

/// Waits until enough of the recipients have answered.
pub(super) fn wait(
    sent: Sent,
    own: SessionId,
    wait_for: AnswerCount,
    until: Timestamp,
    world: &World,
) -> PendingWait<Sent> {
    let recipients: Vec<_> = sent.recipients.iter().map(|to| to.session_id).collect();
    let earlier = if sent.duplicate { returned_before(&sent, own, world) } else { Vec::new() };
    PendingWait {
        who: Some(own),
        about: WaitSubject::Answers { inbox: own, from: recipients.clone() },
        on: recipients,
        until,
        check: Box::new(move |world, wake_up| answered(&sent, own, (wait_for, &earlier), world, wake_up)),
        abandoned: Vec::new(),
    }
}

/// The answers that an earlier attempt of this call, whose reply was lost, has acknowledged.
fn returned_before(sent: &Sent, own: SessionId, world: &World) -> Vec<MessageId> {
    let is_read = |reply: &&StoredMessage| {
        reply.receipts.get(&own).is_some_and(|receipt| !receipt.state.is_unread() && !receipt.state.is_lost())
    };
    let answers = world.messages.all().filter(|reply| reply.header.reply_to == Some(sent.message_id));
    answers.filter(is_read).map(|reply| reply.header.message).collect()
}

fn answered(
    sent: &Sent,
    own: SessionId,
    (wait_for, earlier): (AnswerCount, &[MessageId]),
    world: &World,
    wake_up: &WakeUp,
) -> Option<Decision<Sent>> {
    let unread = world.messages.unread(own);
    let unread = unread.filter(|reply| reply.header.reply_to == Some(sent.message_id));
    let answers: Vec<_> =
        earlier.iter().filter_map(|reply| world.messages.get(*reply)).chain(unread).collect();
    let from: BTreeSet<_> = answers.iter().filter_map(|answer| answer.from()).collect();
    // The user answers for any session, and is no session.
    let count = from.len() + answers.iter().filter(|answer| answer.from().is_none()).count();
    // The members of a group on other hosts become known while the sender waits.
    let stored = world.messages.get(sent.message_id);
    let recipients = stored.map_or_else(|| sent.recipients.clone(), StoredMessage::recipients);
    let has_open_group = stored.is_some_and(StoredMessage::has_open_group);
    let needed = wait_for.needed(if has_open_group { usize::MAX } else { recipients.len() });
    let may_answer = |to: &&RecipientView| {
        let session = to.session_id;
        !from.contains(&session)
            && (world.sessions.contains_key(&session) || is_open_elsewhere(world, sent.message_id, session))
    };
    let left = recipients.iter().filter(may_answer).count();
    let sent = &Sent { recipients, ..sent.clone() };
    let (outcome, circle) = match &wake_up.reason {
        _ if count >= needed => (Awaited::Arrived, Vec::new()),
        WakeReason::Changed if !has_open_group && count + left < needed => (Awaited::Closed, Vec::new()),
        WakeReason::Changed => return None,
        WakeReason::Timeout => (Awaited::Timeout, Vec::new()),
        WakeReason::Deadlock(names) => (Awaited::Circle, names.clone()),
    };
    let waited = Sent { outcome: Some(outcome), circle, ..sent.clone() };
    Some(decision(with_answers(waited, &answers, &from, wait_for), &answers, own, wake_up.now))
}

/// Whether a recipient on another host may still read the message.
fn is_open_elsewhere(world: &World, message: MessageId, session: SessionId) -> bool {
    world.messages.get(message).is_some_and(|stored| {
        let is_remote =
            stored.header.recipients.iter().any(|to| to.session == session && to.remote.is_some());
        is_remote && stored.receipts.get(&session).is_some_and(|receipt| !receipt.state.is_lost())
    })
}

/// Adds the answers to the reply: the first one, or if several were waited for, all of them and who has not answered.
fn with_answers(
    sent: Sent,
    answers: &[&StoredMessage],
    from: &BTreeSet<SessionId>,
    wait_for: AnswerCount,
) -> Sent {
    if wait_for.is_any() {
        return Sent { answer: answers.first().map(|answer| answer.view()), ..sent };
    }
    let unanswered = sent.recipients.iter().filter(|to| !from.contains(&to.session_id)).cloned().collect();
    Sent { answers: answers.iter().map(|answer| answer.view()).collect(), unanswered, ..sent }
}

/// Replies with the answers, which count as read: the caller has them, so they need not be polled.
fn decision(sent: Sent, answers: &[&StoredMessage], own: SessionId, now: Timestamp) -> Decision<Sent> {
    let shown = if sent.answers.is_empty() { &answers[..answers.len().min(1)] } else { answers };
    if shown.is_empty() {
        return Decision::reply(sent);
    }
    let is_unread =
        |answer: &&&StoredMessage| answer.receipts.get(&own).is_some_and(|receipt| receipt.state.is_unread());
    let messages: Vec<_> = shown.iter().filter(is_unread).map(|answer| answer.header.message).collect();
    let how = OfferedVia::Awaited;
    let read = (!messages.is_empty()).then(|| {
        [
            Event::MessagesOffered { session: own, messages: messages.clone(), how, offered_at: now },
            Event::MessagesRead { session: own, messages, read_at: now },
        ]
    });
    Decision::later(EdgeRequest::Payloads(Box::new(PendingPayloads::Sent(sent))))
        .events(read.into_iter().flatten())
}
