//! Facts that follow from facts: who is gone holds no lease, and nobody reads the mail of a session that is closed.

use fugue_protocol::Event;

use crate::world::World;

/// What follows from an event, in the world as it is after it.
pub(crate) fn follow(world: &World, event: &Event) -> Vec<Event> {
    match event {
        Event::PaneExited { pane, .. } | Event::PaneLost { pane } | Event::PaneClosed { pane } => {
            world.leases.of_pane(*pane)
        }
        Event::SessionClosed { session } => unread_mail(world, *session),
        Event::MessagesRead { .. }
        | Event::MessagesExpired { .. }
        | Event::MessagesDeadLettered { .. }
        | Event::MessageSent(_) => forgotten(world),
        _ => Vec::new(),
    }
}

/// The mail that a closed session has not read.
fn unread_mail(world: &World, session: fugue_protocol::SessionId) -> Vec<Event> {
    let mut name = None;
    let mut messages = Vec::new();
    for letter in world.mail.unread(session) {
        let to = letter.envelope.recipients.iter().find(|to| to.session == session);
        name = to.map(|to| to.name.clone()).or(name);
        messages.push(letter.envelope.message);
    }
    let name = name.map(|name| format!(" `{name}`")).unwrap_or_default();
    let reason = format!("session{name} was closed before it read this");
    match messages.is_empty() {
        true => Vec::new(),
        false => vec![Event::MessagesDeadLettered { session, messages, reason }],
    }
}

fn forgotten(world: &World) -> Vec<Event> {
    let messages = world.mail.too_many();
    if messages.is_empty() { Vec::new() } else { vec![Event::MessagesForgotten { messages }] }
}
