//! Notifications: lines that tell an agent about unread messages. One is typed into a pane only if the session's
//! subscription says so, while the agent is idle, and once per message. The pane makes sure that nobody is typing.

use fugue_protocol::agent_messages::{DeliveryMethod, NOTIFICATION_START};
use fugue_protocol::{Event, MessageId, PaneId, SessionId};

use crate::effect::{Effect, Notification};
use crate::message_filter::Filter;
use crate::world::{Pane, Session, World};

/// The text of a notification. It quotes nothing from the messages, because it is typed like a person's input. It says how
/// many of them the user wrote, which agents cannot pretend.
pub(crate) fn line(unread: usize, from_user: usize) -> String {
    let messages = if unread == 1 { "1 unread message" } else { &format!("{unread} unread messages") };
    let from = match from_user {
        0 => " from other agents".to_owned(),
        all if all >= unread => " from the user".to_owned(),
        some => format!(", {some} of them from the user"),
    };
    format!("{NOTIFICATION_START}{messages}{from}: read them with fugue_poll_messages.")
}

/// Messages that a session may have to be told about.
#[derive(Debug, Default)]
pub(crate) struct Unannounced {
    /// Those that nothing has announced.
    pub(crate) open: Vec<MessageId>,
    /// Those of a notification that is on its way through the agent's own inbox.
    pub(crate) pushed: Vec<MessageId>,
}

/// The unread messages that match a session's subscription and were never announced.
pub(crate) fn unannounced(world: &World, session: &Session) -> Unannounced {
    let filter = Filter::of(&session.subscription);
    let unread = world.messages.unread(session.id).filter(|message| filter.takes(message, world));
    let never = unread.filter(|message| {
        message.receipts.get(&session.id).is_some_and(|receipt| receipt.offered_at.is_none())
    });
    let is_pushed = |id: &MessageId| session.push.as_ref().is_some_and(|push| push.messages.contains(id));
    let (pushed, open) = never.map(|message| message.header.message).partition(is_pushed);
    Unannounced { open, pushed }
}

/// The notifications to type, or to withdraw, after an event.
pub(crate) fn for_event(world: &World, event: &Event) -> Vec<Effect> {
    let sessions: Vec<SessionId> = match event {
        Event::MessageSent(sent) => sent.recipients.iter().map(|to| to.session).collect(),
        Event::MessagesOffered { session, .. }
        | Event::MessagesRead { session, .. }
        | Event::PushStarted { session, .. }
        | Event::PushLapsed { session }
        | Event::SubscriptionChanged { session, .. } => vec![*session],
        Event::AgentStateChanged { pane, .. } => {
            world.panes.get(pane).map(|pane| world.session_of(pane).id).into_iter().collect()
        }
        Event::MessagesExpired { .. } => world.sessions.keys().copied().collect(),
        _ => return Vec::new(),
    };
    sessions.into_iter().filter_map(|session| notification(world, session)).collect()
}

/// The notifications to type when the daemon starts.
pub(crate) fn for_all(world: &World) -> Vec<Effect> {
    world.sessions.keys().filter_map(|session| notification(world, *session)).collect()
}

/// The notification for a session that asked for typed ones.
fn notification(world: &World, session: SessionId) -> Option<Effect> {
    let session = world.sessions.get(&session)?;
    let chosen = session.subscription.ways().contains(&DeliveryMethod::Type);
    let pane = chosen.then(|| agent_pane(world, session))??;
    let messages = unannounced(world, session).open;
    let wanted = is_at_rest(pane) && !messages.is_empty();
    let is_from_user = |id: &&MessageId| world.messages.get(**id).is_some_and(|one| one.header.from_user);
    let text = line(messages.len(), messages.iter().filter(is_from_user).count());
    let notification = wanted.then_some(Notification { session: session.id, messages, text });
    Some(Effect::Notify { pane: pane.id, notification })
}

/// The pane that subscribed, otherwise the first one with an agent.
fn agent_pane<'a>(world: &'a World, session: &Session) -> Option<&'a Pane> {
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
