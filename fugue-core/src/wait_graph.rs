//! The graph of waits between sessions, and the detection of deadlocks in it.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::SessionId;
use fugue_protocol::views::WaitView;

use crate::decision::PendingWait;
use crate::effect::Ticket;
use crate::world::World;

/// A session that waits, and the sessions that can end its wait; empty when anybody can.
pub(crate) type WaitEdge = (SessionId, Vec<SessionId>);

/// The waits of sessions, by ticket.
pub(crate) fn edges<R>(
    world: &World,
    waits: &BTreeMap<Ticket, PendingWait<R>>,
) -> BTreeMap<Ticket, WaitEdge> {
    waits.iter().filter_map(|(ticket, wait)| Some((*ticket, (wait.who?, wait.blockers(world))))).collect()
}

/// Returns the tickets in a deadlock: every session that could end such a wait is itself in a deadlock.
pub(crate) fn deadlock(waits: &BTreeMap<Ticket, WaitEdge>) -> BTreeSet<Ticket> {
    let mut stuck: BTreeSet<Ticket> =
        waits.iter().filter(|(_, (_, on))| !on.is_empty()).map(|(ticket, _)| *ticket).collect();
    loop {
        let who: BTreeSet<_> = stuck.iter().map(|ticket| waits[ticket].0).collect();
        // A session is free if a free session can end one of its waits.
        let free = |on: &[SessionId]| on.is_empty() || on.iter().any(|on| !who.contains(on));
        let freed: BTreeSet<_> = waits.values().filter(|(_, on)| free(on)).map(|(waits, _)| *waits).collect();
        let before = stuck.len();
        stuck.retain(|ticket| !freed.contains(&waits[ticket].0));
        if stuck.len() == before {
            return stuck;
        }
    }
}

/// The waits as `show-waits` lists them.
pub(crate) fn views<R>(world: &World, waits: &BTreeMap<Ticket, PendingWait<R>>) -> Vec<WaitView> {
    let name = |session: &SessionId| world.sessions.get(session).map(|session| session.name.clone());
    let view = |wait: &PendingWait<R>| {
        Some(WaitView {
            session_name: name(&wait.who?)?,
            waits_for: wait.about.describe(),
            on: wait.blockers(world).iter().filter_map(name).collect(),
            until: wait.until,
        })
    };
    waits.values().filter_map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u8) -> SessionId {
        SessionId::from_bytes([number; 16])
    }

    /// The stuck tickets of waits given as (who, on); tickets count from 0.
    fn stuck(lines: &[(u8, &[u8])]) -> Vec<Ticket> {
        let edge = |(who, on): &(u8, &[u8])| (session(*who), on.iter().map(|on| session(*on)).collect());
        let edges = lines.iter().map(edge).enumerate().map(|(at, edge)| (at as Ticket, edge));
        deadlock(&edges.collect()).into_iter().collect()
    }

    #[test]
    fn sessions_that_wait_for_each_other_are_in_a_deadlock() {
        assert_eq!(stuck(&[(1, &[2]), (2, &[1])]), [0, 1]);
        assert_eq!(stuck(&[(1, &[2]), (2, &[3]), (3, &[1])]), [0, 1, 2]);
        assert_eq!(stuck(&[(1, &[1])]), [0]);
    }

    #[test]
    fn a_session_that_a_free_session_can_answer_is_not_in_a_deadlock() {
        assert_eq!(stuck(&[(1, &[2])]), [] as [Ticket; 0]);
        assert_eq!(stuck(&[(1, &[2, 3]), (2, &[1])]), [] as [Ticket; 0]);
        // Any session can end the wait of 2.
        assert_eq!(stuck(&[(1, &[2]), (2, &[])]), [] as [Ticket; 0]);
        // 1 has two waits, of which the second can end.
        assert_eq!(stuck(&[(1, &[2]), (2, &[1]), (1, &[3])]), [] as [Ticket; 0]);
    }

    #[test]
    fn a_session_that_waits_for_a_deadlock_is_part_of_it() {
        assert_eq!(stuck(&[(1, &[2]), (2, &[1]), (3, &[1])]), [0, 1, 2]);
    }
}
