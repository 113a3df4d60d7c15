//! Events that follow from other events: a closed pane loses its leases and closes the sessions that end with it, and
//! the unread messages of a closed session are dead-lettered.

use fugue_protocol::{Event, PaneId};

use crate::perform::removal;
use crate::world::World;

/// Whether an event closes something that is already gone: what follows from one event may also be part of another.
pub(crate) fn is_moot(world: &World, event: &Event) -> bool {
    match event {
        Event::PaneClosed { pane } => !world.panes.contains_key(pane),
        Event::WindowClosed { window } => !world.windows.contains_key(window),
        Event::SessionClosed { session } => !world.sessions.contains_key(session),
        _ => false,
    }
}

/// Returns the events that follow from an event, given the world after it.
pub(crate) fn follow_up_events(world: &World, event: &Event) -> Vec<Event> {
    match event {
        Event::PaneExited { pane, .. } | Event::PaneClosed { pane } => {
            let mut events = world.leases.of_pane(*pane);
            events.extend(closed_with(world, *pane));
            events
        }
        Event::PaneLost { pane } => world.leases.of_pane(*pane),
        Event::SessionClosed { session } => dead_letters(world, *session),
        Event::MessagesRead { .. }
        | Event::ReceiptsArrived { .. }
        | Event::ReceiptsRelayed { .. }
        | Event::MessagesExpired { .. }
        | Event::MessagesDeadLettered { .. }
        | Event::MessageSent(_) => forgotten(world),
        _ => Vec::new(),
    }
}

/// Closes the sessions that end with a pane.
fn closed_with(world: &World, pane: PaneId) -> impl Iterator<Item = Event> {
    let ending = world.sessions.values().filter(move |session| session.closes_with == Some(pane));
    ending.flat_map(|session| removal::session(world, session))
}

/// Dead-letters the messages that a closed session has not read.
fn dead_letters(world: &World, session: fugue_protocol::SessionId) -> Vec<Event> {
    let mut name = None;
    let mut messages = Vec::new();
    for message in world.messages.unread(session) {
        let to = message.header.recipients.iter().find(|to| to.session == session);
        name = to.map(|to| to.name.clone()).or(name);
        messages.push(message.header.message);
    }
    let name = name.map(|name| format!(" `{name}`")).unwrap_or_default();
    let reason = format!("session{name} was closed before the message was read");
    match messages.is_empty() {
        true => Vec::new(),
        false => vec![Event::MessagesDeadLettered { session, messages, reason }],
    }
}

fn forgotten(world: &World) -> Vec<Event> {
    let messages = world.messages.too_many();
    if messages.is_empty() { Vec::new() } else { vec![Event::MessagesForgotten { messages }] }
}
