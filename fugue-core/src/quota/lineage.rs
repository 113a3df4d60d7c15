//! The lineage of sessions: a session, the one whose agent created it, and so on. A closed session stays in the lineage of
//! those that descend from it, so that closing the one in between does not set them free.

use fugue_protocol::SessionId;

use crate::world::{Session, World};

/// A session and its ancestors, the nearest first.
pub(crate) struct Lineage<'a> {
    world: &'a World,
    next: Option<SessionId>,
    /// Bounded by the number of sessions, so that even a cycle would end.
    left: usize,
}

impl<'a> Lineage<'a> {
    /// The lineage of a session, which comes first.
    pub(super) fn of(world: &'a World, session: SessionId) -> Self {
        let left = world.sessions.len() + world.closed_ancestors.len();
        Self { world, next: Some(session), left }
    }

    /// Whether two sessions have an ancestor in common, or one descends from the other.
    pub(crate) fn share(world: &'a World, one: SessionId, other: SessionId) -> bool {
        Self::of(world, one).any(|ancestor| Self::of(world, other).any(|id| id == ancestor))
    }

    /// The living sessions that descend from a session, and itself.
    pub(super) fn descendants(world: &'a World, ancestor: SessionId) -> impl Iterator<Item = &'a Session> {
        let descends = move |session: &&Session| Self::of(world, session.id).any(|id| id == ancestor);
        world.sessions.values().filter(descends)
    }
}

impl Iterator for Lineage<'_> {
    type Item = SessionId;

    fn next(&mut self) -> Option<SessionId> {
        self.left = self.left.checked_sub(1)?;
        let session = self.next.take().filter(|session| self.world.is_session_or_ancestor(*session))?;
        self.next = self.world.parent_of(session);
        Some(session)
    }
}

impl World {
    /// The parent of a session, living or closed.
    fn parent_of(&self, session: SessionId) -> Option<SessionId> {
        let living = self.sessions.get(&session).and_then(|session| session.parent);
        living.or_else(|| self.closed_ancestors.get(&session).copied().flatten())
    }

    /// Whether a session lives, or is closed and has living descendants.
    pub(super) fn is_session_or_ancestor(&self, session: SessionId) -> bool {
        self.sessions.contains_key(&session) || self.closed_ancestors.contains_key(&session)
    }
}

/// Leaves out closed sessions between a closed session and its nearest ancestor that lives or has no parent, to which
/// everything below them counts as well. Otherwise two agents that replace each other in turn would make a lineage that
/// grows forever.
fn skip_closed_parents(world: &mut World) {
    let closed = world.closed_ancestors.clone();
    for parent in world.closed_ancestors.values_mut().flatten() {
        let above = |id: SessionId| closed.get(&id).copied().flatten();
        let ancestors = std::iter::successors(Some(*parent), |id| above(*id)).take(closed.len());
        *parent = ancestors.last().unwrap_or(*parent);
    }
}

/// Remembers the parent of a session that is being closed, as long as it has living descendants.
pub(crate) fn keep_closed_ancestor(world: &mut World, closed: &Session) {
    world.closed_ancestors.insert(closed.id, closed.parent);
    skip_closed_parents(world);
    loop {
        let parents = world.sessions.values().filter_map(|session| session.parent);
        let used: std::collections::BTreeSet<_> =
            parents.chain(world.closed_ancestors.values().copied().flatten()).collect();
        let before = world.closed_ancestors.len();
        world.closed_ancestors.retain(|session, _| used.contains(session));
        if world.closed_ancestors.len() == before {
            return;
        }
    }
}
