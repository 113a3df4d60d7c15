//! The daemon's connections by what is known about their peers, so that no peer takes the room of the others: agents
//! cannot lock people out, nor can peers that never greet.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fugue_core::Caller;
use fugue_protocol::refusal::Quota;
use fugue_protocol::{PaneId, Refusal};
use tokio::sync::oneshot;

/// Connections that have not greeted yet. A command greets as it connects, and one MCP server opens at most 256 waits and
/// as many probes at once, so more than this are idle peers; the oldest one is closed when another comes. Each takes a
/// descriptor and at most 80 KiB.
const MAX_UNGREETED: usize = 600;

/// Connections that have greeted: each takes a descriptor. 800 are the agents of a large project and a dozen terminals.
const MAX_GREETED: usize = 800;

/// Connections of callers that are not people. The rest is kept free for people, so that they can always look, and stop
/// an agent.
const MAX_AGENTS: usize = 600;

/// Connections from one pane: an agent has one, its hooks and commands some more; a script may run a hundred at once.
const MAX_PER_PANE: usize = 128;

/// Connections of all unattributed processes together: one that forked itself out of its pane must not get more than the
/// pane has.
const MAX_UNATTRIBUTED: usize = MAX_PER_PANE;

/// Connections of one process, if it is in no pane: no single program can take all the room for people.
const MAX_PER_PROCESS: usize = 400;

/// While few files are left: connections that have not greeted yet, and those of one process.
const MAX_WHEN_SHORT: usize = 8;

/// The connections.
#[derive(Clone, Default)]
pub(crate) struct ConnectionTable(Rc<RefCell<Connections>>);

#[derive(Default)]
struct Connections {
    next: u64,
    /// By number, the oldest first.
    peers: BTreeMap<u64, Peer>,
}

struct Peer {
    pid: Option<i32>,
    kind: PeerKind,
    /// Whether few files were left when it came.
    is_short: bool,
}

/// What is known about a peer.
enum PeerKind {
    /// It has not greeted yet; the sender closes the connection.
    Ungreeted(oneshot::Sender<()>),
    Person,
    Agent(Option<PaneId>),
    Unattributed,
}

impl PeerKind {
    fn of(caller: Caller) -> Self {
        match caller {
            Caller::Outside => Self::Person,
            Caller::Unattributed(_) => Self::Unattributed,
            caller => Self::Agent(caller.pane()),
        }
    }

    fn is_agent(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::Unattributed)
    }
}

/// The place of one connection. Dropping it frees the place.
pub(crate) struct ConnectionSlot {
    table: ConnectionTable,
    number: u64,
    closed: oneshot::Receiver<()>,
}

impl ConnectionTable {
    /// Admits a connection of a process. At the limit, the one that has waited longest without a greeting is closed, of
    /// the process that has most of them. While few files are left, only people are let in, and no process takes what
    /// is left for the others.
    pub(crate) fn admit(&self, pid: Option<i32>, is_short: bool) -> ConnectionSlot {
        let mut connections = self.0.borrow_mut();
        let most = if is_short { MAX_WHEN_SHORT } else { MAX_UNGREETED };
        if connections.ungreeted().count() >= most {
            connections.close_one_ungreeted();
        }
        let (close, closed) = oneshot::channel();
        let number = connections.next;
        connections.next += 1;
        connections.peers.insert(number, Peer { pid, kind: PeerKind::Ungreeted(close), is_short });
        ConnectionSlot { table: self.clone(), number, closed }
    }

    /// Closes the connection that has waited longest without a greeting, of the process that has most of them.
    pub(super) fn close_one_ungreeted(&self) {
        self.0.borrow_mut().close_one_ungreeted();
    }
}

impl Connections {
    fn ungreeted(&self) -> impl Iterator<Item = (u64, Option<i32>)> {
        let ungreeted = self.peers.iter().filter(|(_, peer)| matches!(peer.kind, PeerKind::Ungreeted(_)));
        ungreeted.map(|(number, peer)| (*number, peer.pid))
    }

    fn close_one_ungreeted(&mut self) {
        let mut held = BTreeMap::<Option<i32>, usize>::new();
        self.ungreeted().for_each(|(_, pid)| *held.entry(pid).or_default() += 1);
        let most = held.values().copied().max().unwrap_or_default();
        let oldest = self.ungreeted().find(|(_, pid)| held[pid] == most).map(|(number, _)| number);
        let peer = oldest.and_then(|number| self.peers.remove(&number));
        if let Some(Peer { kind: PeerKind::Ungreeted(close), .. }) = peer {
            let _ = close.send(());
        }
    }

    /// The limit that one more connection of this peer would exceed.
    fn exceeded(&self, pid: Option<i32>, kind: &PeerKind, is_short: bool) -> Option<(Quota, usize)> {
        let count = |counts: &dyn Fn(&Peer) -> bool| self.peers.values().filter(|peer| counts(peer)).count();
        let greeted = count(&|peer| !matches!(peer.kind, PeerKind::Ungreeted(_)));
        let agents = count(&|peer| peer.kind.is_agent());
        let full = |count: usize, what, limit| (count >= limit).then_some((what, limit));
        let own = match kind {
            PeerKind::Agent(Some(pane)) => {
                let in_pane = count(&|peer| matches!(peer.kind, PeerKind::Agent(Some(of)) if of == *pane));
                full(in_pane, Quota::PaneConnections, MAX_PER_PANE)
            }
            PeerKind::Unattributed => {
                let unattributed = count(&|peer| matches!(peer.kind, PeerKind::Unattributed));
                full(unattributed, Quota::UnattributedConnections, MAX_UNATTRIBUTED)
            }
            _ => {
                let is_same = |peer: &Peer| peer.pid == pid && matches!(peer.kind, PeerKind::Person);
                let most = if is_short { MAX_WHEN_SHORT } else { MAX_PER_PROCESS };
                full(count(&is_same), Quota::ProcessConnections, most)
            }
        };
        if is_short && kind.is_agent() {
            return Some((Quota::AgentConnections, agents));
        }
        let share = kind.is_agent().then(|| full(agents, Quota::AgentConnections, MAX_AGENTS));
        own.or_else(|| share.flatten()).or_else(|| full(greeted, Quota::Connections, MAX_GREETED))
    }
}

impl ConnectionSlot {
    /// Records whose connection it is, now that the peer has greeted and is identified; refuses one too many.
    pub(super) fn greeted(&self, caller: Caller) -> Result<(), Refusal> {
        let mut connections = self.table.0.borrow_mut();
        let kind = PeerKind::of(caller);
        let peer = connections.peers.get(&self.number);
        let (pid, is_short) = peer.map_or((None, false), |peer| (peer.pid, peer.is_short));
        if let Some((what, limit)) = connections.exceeded(pid, &kind, is_short) {
            return Err(Refusal::TooMany { what, limit });
        }
        connections.peers.insert(self.number, Peer { pid, kind, is_short });
        Ok(())
    }

    /// Resolves when the connection is to be closed because it has not greeted and others want its place.
    pub(super) async fn closed(&mut self) -> Refusal {
        // A sender that is gone without a word belongs to a peer that has greeted.
        if (&mut self.closed).await.is_err() {
            std::future::pending::<()>().await;
        }
        Refusal::TooMany { what: Quota::UngreetedConnections, limit: MAX_UNGREETED }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.table.0.borrow_mut().peers.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::caller::{NoPane, Unattributed};

    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    /// Connections of callers in panes, as many as the table takes in each of them.
    fn fill_with_agents(table: &ConnectionTable) -> (Vec<ConnectionSlot>, Refusal) {
        let mut slots = Vec::new();
        for number in 0..MAX_AGENTS {
            let slot = table.admit(Some(1), false);
            slot.greeted(Caller::Inside(pane((number / MAX_PER_PANE) as u8))).expect("room for an agent");
            slots.push(slot);
        }
        let refusal =
            table.admit(Some(1), false).greeted(Caller::Inside(pane(9))).expect_err("no more agents");
        (slots, refusal)
    }

    #[test]
    fn agents_cannot_take_the_connections_that_are_kept_for_people() {
        let table = ConnectionTable::default();
        let (agents, refusal) = fill_with_agents(&table);
        assert_eq!(refusal, Refusal::TooMany { what: Quota::AgentConnections, limit: MAX_AGENTS });
        let people: Vec<_> = (0..MAX_GREETED - MAX_AGENTS)
            .map(|_| {
                let slot = table.admit(Some(2), false);
                slot.greeted(Caller::Outside).expect("room for a person");
                slot
            })
            .collect();
        let full = table.admit(Some(3), false).greeted(Caller::Outside).expect_err("everything is taken");
        assert_eq!(full, Refusal::TooMany { what: Quota::Connections, limit: MAX_GREETED });
        drop((agents, people));
        assert!(table.0.borrow().peers.is_empty());
    }

    #[test]
    fn a_pane_and_a_process_have_a_limit_each() {
        let table = ConnectionTable::default();
        let mut slots = Vec::new();
        let mut fill = |caller: Caller, pid, limit: usize| {
            for _ in 0..limit {
                let slot = table.admit(Some(pid), false);
                slot.greeted(caller).expect("room");
                slots.push(slot);
            }
            table.admit(Some(pid), false).greeted(caller).expect_err("at the limit").to_string()
        };
        let in_pane = fill(Caller::Inside(pane(1)), 1, MAX_PER_PANE);
        assert_eq!(in_pane, "Too many connections from one pane: the limit is 128");
        let orphan = Caller::Unattributed(Unattributed { why: NoPane::Orphan, claimed: None });
        let unattributed = fill(orphan, 4, MAX_UNATTRIBUTED);
        assert_eq!(
            unattributed,
            "Too many connections from processes detached from their panes: the limit is 128"
        );
        let outside = fill(Caller::Outside, 2, MAX_PER_PROCESS);
        assert_eq!(outside, "Too many connections from one process: the limit is 400");
        table.admit(Some(3), false).greeted(Caller::Outside).expect("another process has room");
    }

    #[test]
    fn the_oldest_peer_without_a_greeting_makes_room_and_a_hoarder_makes_it_first() {
        let table = ConnectionTable::default();
        let mut honest = table.admit(Some(7), false);
        let mut hoarded: Vec<_> = (1..MAX_UNGREETED).map(|_| table.admit(Some(8), false)).collect();
        let next = table.admit(Some(9), false);
        assert!(hoarded[0].closed.try_recv().is_ok(), "the oldest of the process that has most is closed");
        assert!(honest.closed.try_recv().is_err() && hoarded[1].closed.try_recv().is_err());
        honest.greeted(Caller::Outside).expect("it is still admitted");
        drop((next, hoarded, honest));
        assert!(table.0.borrow().peers.is_empty());
    }

    #[test]
    fn while_few_files_are_left_only_people_get_in_and_none_takes_them_all() {
        let table = ConnectionTable::default();
        let slot = table.admit(Some(1), true);
        let refused = slot.greeted(Caller::Inside(pane(1))).expect_err("an agent");
        assert!(matches!(refused, Refusal::TooMany { what: Quota::AgentConnections, .. }), "{refused}");
        let held: Vec<_> = (0..MAX_WHEN_SHORT)
            .map(|_| {
                let slot = table.admit(Some(2), true);
                slot.greeted(Caller::Outside).expect("room");
                slot
            })
            .collect();
        let refused = table.admit(Some(2), true).greeted(Caller::Outside).expect_err("too many");
        let limit = MAX_WHEN_SHORT;
        assert_eq!(refused, Refusal::TooMany { what: Quota::ProcessConnections, limit });
        table.admit(Some(3), true).greeted(Caller::Outside).expect("another person");
        drop(held);
    }
}
