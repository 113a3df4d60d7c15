//! Events that follow from other events: a closed pane loses its leases, and the unread messages of a closed session are
//! dead-lettered.

use fugue_protocol::Event;

use crate::world::World;

/// Returns the events that follow from an event, given the world after it.
pub(crate) fn follow_up_events(world: &World, event: &Event) -> Vec<Event> {
    match event {
        Event::PaneExited { pane, .. } | Event::PaneLost { pane } | Event::PaneClosed { pane } => {
            world.leases.of_pane(*pane)
        }
        Event::SessionClosed { session } => dead_letters(world, *session),
        Event::MessagesRead { .. }
        | Event::MessagesExpired { .. }
        | Event::MessagesDeadLettered { .. }
        | Event::MessageSent(_) => forgotten(world),
        _ => Vec::new(),
    }
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
    let reason = format!("session{name} was closed before it read the message");
    match messages.is_empty() {
        true => Vec::new(),
        false => vec![Event::MessagesDeadLettered { session, messages, reason }],
    }
}

fn forgotten(world: &World) -> Vec<Event> {
    let messages = world.messages.too_many();
    if messages.is_empty() { Vec::new() } else { vec![Event::MessagesForgotten { messages }] }
}
