//! Changes of sessions, and of the clients that show them, by events.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agent_messages::Subscription;
use fugue_protocol::events::{ClientAttached, SessionCreated};
use fugue_protocol::{ConfinementName, OptionScope, SessionId, SessionName, Tag};

use crate::quota::keep_closed_ancestor;
use crate::world::{PendingPush, Session, WindowSlots, World};

pub(super) fn created(world: &mut World, event: &SessionCreated) {
    let session = Session {
        id: event.session,
        number: world.next_numbers.session(event.number),
        name: event.name.clone(),
        parent: event.parent,
        created_at: event.created_at,
        windows: vec![event.window],
        slots: WindowSlots::without_gaps(1),
        current: event.window,
        last: None,
        former: Vec::new(),
        tags: event.tags.iter().cloned().collect(),
        metadata: event.metadata.clone(),
        environment: event.environment.clone(),
        subscription: Subscription::default(),
        push: None,
        governed_by: BTreeSet::new(),
        confined_by: BTreeSet::new(),
        closes_with: event.closes_with,
    };
    // Least recently used until somebody selects it, so that an agent's new session never becomes the user's default.
    world.recent.retain(|id| *id != event.session);
    world.recent.insert(0, event.session);
    world.sessions.insert(event.session, session);
}

pub(super) fn renamed(world: &mut World, session: SessionId, name: &SessionName) {
    if let Some(session) = world.sessions.get_mut(&session) {
        session.name = name.clone();
    }
}

pub(super) fn governed(world: &mut World, session: SessionId, names: &BTreeSet<SessionName>) {
    if let Some(session) = world.sessions.get_mut(&session) {
        session.governed_by.clone_from(names);
    }
}

pub(super) fn confined(world: &mut World, session: SessionId, profiles: &BTreeSet<ConfinementName>) {
    if let Some(session) = world.sessions.get_mut(&session) {
        session.confined_by.extend(profiles.iter().cloned());
    }
}

pub(super) fn closed(world: &mut World, session: SessionId) {
    if let Some(closed) = world.sessions.remove(&session) {
        keep_closed_ancestor(world, &closed);
        world.options.ended(OptionScope::Session(session));
        world.hooks.ended(OptionScope::Session(session));
    }
    world.messages.closed(session);
    world.recent.retain(|id| *id != session);
    world.clients.retain(|_, client| client.session != session);
}

pub(super) fn selected(world: &mut World, session: SessionId) {
    world.recent.retain(|id| *id != session);
    if world.sessions.contains_key(&session) {
        world.recent.push(session);
    }
}

pub(super) fn tagged(world: &mut World, session: SessionId, added: &[Tag], removed: &[Tag]) {
    if let Some(session) = world.sessions.get_mut(&session) {
        session.tags.retain(|tag| !removed.contains(tag));
        session.tags.extend(added.iter().cloned());
    }
}

pub(super) fn subscribed(world: &mut World, session: SessionId, subscription: &Subscription) {
    if let Some(session) = world.sessions.get_mut(&session) {
        session.subscription = subscription.clone();
    }
}

pub(super) fn pushes(world: &mut World, session: SessionId, push: Option<PendingPush>) {
    if let Some(session) = world.sessions.get_mut(&session) {
        session.push = push;
    }
}

pub(super) fn metadata_changed(world: &mut World, session: SessionId, key: &str, value: Option<&str>) {
    if let Some(session) = world.sessions.get_mut(&session) {
        put(&mut session.metadata, key, value);
    }
}

pub(super) fn exported(world: &mut World, session: SessionId, name: &str, value: Option<&str>) {
    if let Some(session) = world.sessions.get_mut(&session) {
        put(&mut session.environment, name, value);
    }
}

pub(super) fn put(entries: &mut BTreeMap<String, String>, name: &str, value: Option<&str>) {
    match value {
        Some(value) => entries.insert(name.to_owned(), value.to_owned()),
        None => entries.remove(name),
    };
}

pub(super) fn client_attached(world: &mut World, event: &ClientAttached) {
    if world.sessions.contains_key(&event.session) {
        world.clients.insert(event.client, event.clone());
    }
}

pub(super) fn client_left(world: &mut World, client: u64) {
    world.clients.remove(&client);
}
