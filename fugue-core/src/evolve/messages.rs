//! Changes of messages by events.

use fugue_protocol::agent_messages::{DeliveryState, OfferedVia};
use fugue_protocol::{MessageId, SessionId, Timestamp};

use crate::world::World;

pub(super) fn offered(
    world: &mut World,
    session: SessionId,
    messages: &[MessageId],
    how: OfferedVia,
    offered_at: Timestamp,
) {
    for message in messages {
        world.messages.offered(*message, session, how, offered_at);
    }
}

pub(super) fn read(world: &mut World, session: SessionId, messages: &[MessageId], at: Timestamp) {
    for message in messages {
        world
            .messages
            .settle(*message, session, DeliveryState::Read, |receipt| receipt.settled_at = Some(at));
    }
}

pub(super) fn relayed(world: &mut World, session: SessionId, messages: &[MessageId], at: Timestamp) {
    for message in messages {
        world.messages.settle(*message, session, DeliveryState::Relayed, |_| {});
        world.messages.relayed(*message, session, at);
    }
}

pub(super) fn expired(world: &mut World, messages: &[MessageId], at: Timestamp) {
    for message in messages {
        let stored = world.messages.get(*message);
        for session in stored.map(|stored| stored.unread_by().collect::<Vec<_>>()).unwrap_or_default() {
            world.messages.settle(*message, session, DeliveryState::Expired, |receipt| {
                receipt.settled_at = Some(at);
                receipt.reason = Some("it expired before it was read".into());
            });
        }
    }
}

pub(super) fn dead_lettered(world: &mut World, session: SessionId, messages: &[MessageId], reason: &str) {
    for message in messages {
        world.messages.settle(*message, session, DeliveryState::DeadLettered, |receipt| {
            receipt.reason = Some(reason.to_owned());
        });
    }
}
