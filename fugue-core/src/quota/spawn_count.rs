//! Numbers of sessions and panes, held or about to be created.

use std::collections::BTreeSet;
use std::iter::Sum;
use std::ops::Add;

use fugue_protocol::SessionId;

use super::lineage::Lineage;
use crate::decision::Decision;
use crate::effect::ChildSpec;
use crate::world::World;

/// Numbers of sessions and panes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SpawnCount {
    pub(super) sessions: usize,
    pub(super) panes: usize,
}

impl SpawnCount {
    /// Whether it counts nothing.
    pub(super) fn is_zero(self) -> bool {
        self == Self::default()
    }

    /// What a decision creates; a pane whose program is started again is not new.
    pub(super) fn new_in<R>(world: &World, decision: &Decision<R>) -> Self {
        Self::of_children(world, &decision.children)
    }

    /// The new panes among children, and the new sessions that they are in.
    pub(super) fn of_children(world: &World, children: &[ChildSpec]) -> Self {
        let panes = children.iter().filter(|child| !world.panes.contains_key(&child.pane));
        let sessions = children.iter().map(|child| child.session);
        let sessions: BTreeSet<_> =
            sessions.filter(|session| !world.sessions.contains_key(session)).collect();
        Self { sessions: sessions.len(), panes: panes.count() }
    }

    /// The living sessions that descend from a session, and the panes in all of them and in itself.
    pub(super) fn held_by(world: &World, ancestor: SessionId) -> Self {
        let sessions: BTreeSet<_> = Lineage::descendants(world, ancestor).map(|session| session.id).collect();
        let is_theirs = |pane: &&crate::world::Pane| sessions.contains(&world.session_of(pane).id);
        let panes = world.panes.values().filter(is_theirs).count();
        Self { sessions: sessions.iter().filter(|session| **session != ancestor).count(), panes }
    }
}

impl Add for SpawnCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { sessions: self.sessions + other.sessions, panes: self.panes + other.panes }
    }
}

impl Sum for SpawnCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}
