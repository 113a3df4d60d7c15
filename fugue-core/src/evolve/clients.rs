//! Changes of clients by events.

use fugue_protocol::events::ClientAttached;

use crate::world::World;

pub(super) fn attached(world: &mut World, event: &ClientAttached) {
    if world.sessions.contains_key(&event.session) {
        world.clients.insert(event.client, event.clone());
    }
}

pub(super) fn left(world: &mut World, client: u64) {
    world.clients.remove(&client);
}
