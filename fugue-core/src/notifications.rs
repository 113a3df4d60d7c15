//! Lines that tell an agent of messages. One is typed into a pane only if that was chosen, while its agent is at rest, and
//! of messages that it was never told of; whether a person types there is the pane's to see.

use fugue_protocol::orchestration::DeliveryMethod;
use fugue_protocol::{Event, MessageId, PaneId, SessionId};

use crate::inbox::Filter;
use crate::react::Effect;
use crate::world::{Pane, Session, World};

/// A line to be typed, and the messages that it tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Notice {
    pub session: SessionId,
    pub messages: Vec<MessageId>,
    pub text: String,
}

/// The line. It has none of the messages' own words: it is typed as if a person typed it.
pub(crate) fn line(unread: usize) -> String {
    let messages = if unread == 1 { "1 unread message" } else { &format!("{unread} unread messages") };
    format!("[fugue] You have {messages} from other agents: read with fugue_poll_messages.")
}

/// Unread messages of which a session wants to be told and never was.
pub(crate) fn news(world: &World, session: SessionId) -> Vec<MessageId> {
    let Some(subscription) = world.sessions.get(&session).map(|session| &session.subscription) else {
        return Vec::new();
    };
    let filter = Filter::of(subscription);
    let unread = world.mail.unread(session).filter(|letter| filter.takes(letter, world));
    let never = unread
        .filter(|letter| letter.receipts.get(&session).is_some_and(|receipt| receipt.offered_at.is_none()));
    never.map(|letter| letter.envelope.message).collect()
}

/// What is to be typed after an event, or no longer.
pub(crate) fn nudges(world: &World, event: &Event) -> Vec<Effect> {
    let sessions: Vec<SessionId> = match event {
        Event::MessageSent(sent) => sent.recipients.iter().map(|to| to.session).collect(),
        Event::MessagesOffered { session, .. }
        | Event::MessagesRead { session, .. }
        | Event::SubscriptionChanged { session, .. } => vec![*session],
        Event::AgentStateChanged { pane, .. } => {
            world.panes.get(pane).map(|pane| world.session_of(pane).id).into_iter().collect()
        }
        Event::MessagesExpired { .. } => world.sessions.keys().copied().collect(),
        _ => return Vec::new(),
    };
    sessions.into_iter().filter_map(|session| nudge(world, session)).collect()
}

/// What is to be typed at a daemon's start.
pub(crate) fn all(world: &World) -> Vec<Effect> {
    world.sessions.keys().filter_map(|session| nudge(world, *session)).collect()
}

/// What is to be typed for a session that chose so.
fn nudge(world: &World, session: SessionId) -> Option<Effect> {
    let session = world.sessions.get(&session)?;
    let chosen = session.subscription.ways().contains(&DeliveryMethod::Type);
    let pane = chosen.then(|| agents_pane(world, session))??;
    let messages = news(world, session.id);
    let wanted = is_at_rest(pane) && !messages.is_empty();
    let text = line(messages.len());
    let notice = wanted.then_some(Notice { session: session.id, messages, text });
    Some(Effect::Nudge { pane: pane.id, notice })
}

/// The pane that asked for it, or the one in which an agent is.
fn agents_pane<'a>(world: &'a World, session: &Session) -> Option<&'a Pane> {
    let of = |id: &PaneId| world.panes.get(id).filter(|pane| world.session_of(pane).id == session.id);
    let asked = session.subscription.pane.as_ref().and_then(of);
    asked.or_else(|| {
        let panes = world.panes_of(session);
        panes.iter().filter_map(of).find(|pane| pane.agent.view.is_some())
    })
}

fn is_at_rest(pane: &Pane) -> bool {
    pane.run().is_some() && pane.agent.view.as_ref().is_some_and(|agent| agent.state.is_at_rest())
}
