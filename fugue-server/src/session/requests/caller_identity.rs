//! Identifying a caller: by its process tree, or by the key of the pane that it claims to be in.

use std::path::PathBuf;

use fugue_agents::SharedServer;
use fugue_core::caller::{NoPane, Unattributed};
use fugue_core::{Caller, World};
use fugue_protocol::messages::PaneClaim;
use fugue_protocol::{PaneId, Refusal};

use crate::hooks::RunningHooks;
use crate::keeper_link::RunningPrograms;
use crate::processes::listening_sockets;
use crate::processes::pane_keys::PaneKeys;
use crate::processes::process_ancestors::Ancestry;

/// Where the leader of a process's session is in the line of its ancestors.
const SESSION: usize = 1;

/// What is known about a process that connected.
pub(crate) struct CallerEvidence {
    pub(crate) pid: Option<u32>,
    pub(crate) ancestry: Ancestry,
    pub(crate) claim: Option<PaneClaim>,
}

/// The processes of this daemon.
#[derive(Clone, Default)]
pub(crate) struct OwnProcesses {
    /// Those from which everything in its panes descends.
    roots: Vec<u32>,
    /// The programs of its panes.
    programs: RunningPrograms,
    /// Whether the reaper is dead: its pid may belong to another process.
    is_reaper_dead: bool,
    /// The user's commands for events, which act for the user.
    hooks: RunningHooks,
    /// Its state directory, by which its keepers are recognized. Other daemons of this user have theirs beside it.
    state: PathBuf,
}

impl OwnProcesses {
    pub(crate) fn new(keeper: u32, programs: RunningPrograms, hooks: RunningHooks, state: PathBuf) -> Self {
        let mut own = Self { roots: Vec::new(), programs, is_reaper_dead: false, hooks, state };
        own.keeper_replaced(keeper);
        own
    }

    /// Takes another keeper. The daemon, the keeper and the reaper are roots; the reaper is given the orphans.
    pub(crate) fn keeper_replaced(&mut self, keeper: u32) {
        let reaper = fugue_keeper::reaper_pid().filter(|_| !self.is_reaper_dead);
        let roots = [Some(std::process::id()), Some(keeper), reaper];
        // Without a keeper, the parent is the first process, from which everything descends.
        self.roots = roots.into_iter().flatten().filter(|pid| *pid > 1).collect();
    }

    /// Takes note that the reaper is dead.
    pub(crate) fn reaper_ended(&mut self) {
        self.is_reaper_dead = true;
        self.roots.retain(|pid| Some(*pid) != fugue_keeper::reaper_pid());
    }

    /// The pane whose program this process is. A pid that a program had before it exited is not its any more.
    fn pane_of(&self, world: &World, pid: u32) -> Option<PaneId> {
        let pane = world.panes.get(&world.pane_of_pid(pid)?)?;
        pane.run().filter(|run| self.programs.is_running(run.id)).map(|_| pane.id)
    }
}

impl CallerEvidence {
    /// The pane that the process claims to be in, as far as that is a pane's id.
    pub(crate) fn claimed(&self) -> Option<PaneId> {
        self.claim.as_ref().and_then(|claim| claim.pane.parse().ok())
    }

    /// Whether the process descends from this daemon's processes, or from those of a daemon before it, but from no
    /// running program of a pane.
    pub(crate) fn is_orphan(&self, world: &World, own: &OwnProcesses) -> bool {
        let descends = self.ancestry.line.iter().any(|pid| own.roots.contains(pid));
        self.pane(world, own).is_none() && (descends || self.ancestry.keepers.contains(&own.state))
    }

    /// Whether the process descends from another daemon of this user.
    fn is_of_other_server(&self, own: &OwnProcesses) -> bool {
        self.ancestry.keepers.iter().any(|state| state.parent() == own.state.parent())
    }

    /// The pane of the nearest ancestor that is a pane's program.
    fn pane(&self, world: &World, own: &OwnProcesses) -> Option<PaneId> {
        self.pane_at(world, own).map(|(_, pane)| pane)
    }

    /// The pane, and where its program is in the line.
    fn pane_at(&self, world: &World, own: &OwnProcesses) -> Option<(usize, PaneId)> {
        let line = &self.ancestry.line;
        let (pid, pane) = line.iter().find_map(|pid| Some((pid, own.pane_of(world, *pid)?)))?;
        // The leader of the session is second in the line, and again in its place if it is an ancestor.
        line.iter().rposition(|one| one == pid).map(|at| (at, pane))
    }

    /// The server that stands between the process and its pane, so that the process may be working for another pane.
    ///
    /// Known servers are recognized by their command line, even if they are a pane's program or were started outside any
    /// pane. Every other ancestor counts if it has left its pane's terminal and listens on a socket, so that processes of
    /// other panes can use it. One that merely started a session of its own does not listen, and keeps its pane.
    fn shared_server(&self, world: &World, own: &OwnProcesses) -> Option<SharedServer> {
        let Ancestry { line, servers, detached, .. } = &self.ancestry;
        let pane_at = self.pane_at(world, own).map(|(at, _)| at);
        let below = |pid: u32| line.iter().rposition(|one| *one == pid).zip(pane_at);
        let known = servers
            .iter()
            .find(|(pid, _)| below(*pid).is_none_or(|(at, pane)| at <= pane || pane == SESSION));
        let listens =
            |pid: &u32| below(*pid).is_some_and(|(at, pane)| at < pane) && listening_sockets::listens(*pid);
        let other = || detached.iter().any(listens).then_some(SharedServer::OTHER);
        known.map(|(_, server)| *server).or_else(other)
    }

    /// Whether the process was started by an agent that the agent in its pane runs as a tool.
    fn is_nested(&self, world: &World, own: &OwnProcesses) -> bool {
        self.pane_at(world, own).is_some_and(|(at, _)| self.ancestry.is_below_nested_agent(at))
    }

    /// Whether the process has the key of the pane that it claims to be in.
    fn has_key(&self, keys: &PaneKeys) -> bool {
        let key = self.claim.as_ref().and_then(|claim| claim.key.as_ref());
        self.claimed().zip(key).is_some_and(|(pane, key)| keys.fits(pane, key))
    }

    /// Identifies a process that a server started. It is in the pane whose key it was given, unless that is the pane that
    /// started the server: the server has that key in its own environment, whichever pane it works for.
    fn identify_below(
        &self,
        server: SharedServer,
        world: &World,
        own: &OwnProcesses,
        keys: &PaneKeys,
    ) -> Caller {
        let (started_in, claimed) = (self.pane(world, own), self.claimed());
        match claimed.filter(|claimed| started_in.is_some_and(|pane| pane != *claimed) && self.has_key(keys))
        {
            Some(pane) => Caller::Claims(pane),
            None => {
                let in_pane = started_in.is_some() || self.is_orphan(world, own);
                // Its claim is the server's own, and means nothing.
                Caller::Unattributed(Unattributed {
                    why: NoPane::SharedServer { server, in_pane },
                    claimed: None,
                })
            }
        }
    }

    /// Identifies the caller. Ancestry comes first: what a process claims cannot give it another identity than its own.
    pub(crate) fn identify(
        &self,
        world: &World,
        own: &OwnProcesses,
        keys: &PaneKeys,
    ) -> Result<Caller, Refusal> {
        if let Some(server) = self.shared_server(world, own) {
            return Ok(self.identify_below(server, world, own, keys));
        }
        let claimed = self.claimed();
        let unattributed = |why| Ok(Caller::Unattributed(Unattributed { why, claimed }));
        let pane = self.pane(world, own);
        if let (None, None, Some(caller)) = (pane, claimed, own.hooks.caller(&self.ancestry.line)) {
            return Ok(caller);
        }
        match (pane, claimed) {
            (Some(inside), Some(claimed)) if inside != claimed => {
                Err(Refusal::IdentityContradiction { inside, claimed })
            }
            (Some(inside), _) if self.is_nested(world, own) => Ok(Caller::Nested(inside)),
            (Some(inside), _) => Ok(Caller::Inside(inside)),
            (None, _) if self.is_orphan(world, own) => unattributed(NoPane::Orphan),
            (None, _) if !self.ancestry.is_whole => unattributed(NoPane::Unseen),
            (None, _) => match (&self.claim, claimed) {
                (None, _) if self.is_of_other_server(own) => unattributed(NoPane::OtherServer),
                (None, _) => Ok(Caller::Outside),
                (Some(_), None) => unattributed(NoPane::Malformed),
                (Some(PaneClaim { key: None, .. }), _) => unattributed(NoPane::MissingKey),
                (Some(_), Some(pane)) if self.has_key(keys) => Ok(Caller::Claims(pane)),
                _ => unattributed(NoPane::WrongKey),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::messages::PaneKey;

    use super::*;

    fn evidence(line: &[u32], claim: Option<(PaneId, Option<PaneKey>)>) -> CallerEvidence {
        let claim = claim.map(|(pane, key)| PaneClaim { pane: pane.to_string(), key });
        let ancestry = Ancestry { line: line.to_vec(), is_whole: true, ..Ancestry::unseen() };
        CallerEvidence { pid: None, ancestry, claim }
    }

    #[test]
    fn a_claim_counts_only_outside_the_process_tree_and_only_with_its_key() {
        let state = tempfile::tempdir().expect("a directory");
        let (keys, _) = PaneKeys::open(state.path());
        let [pane, other] = [1, 2].map(|number| PaneId::from_bytes([number; 16]));
        let own = OwnProcesses { roots: vec![10], state: "/state/own".into(), ..OwnProcesses::default() };
        let identify = |evidence: CallerEvidence| evidence.identify(&World::default(), &own, &keys);
        let least = |why, claimed| Ok(Caller::Unattributed(Unattributed { why, claimed }));
        assert_eq!(identify(evidence(&[30, 20], None)), Ok(Caller::Outside));
        let claim = |of: PaneId| Some((pane, Some(keys.of(of))));
        assert_eq!(identify(evidence(&[30, 20], claim(pane))), Ok(Caller::Claims(pane)));
        assert_eq!(identify(evidence(&[30, 20], claim(other))), least(NoPane::WrongKey, Some(pane)));
        assert_eq!(identify(evidence(&[30], Some((pane, None)))), least(NoPane::MissingKey, Some(pane)));
        assert_eq!(identify(evidence(&[30, 10], claim(pane))), least(NoPane::Orphan, Some(pane)));
        assert_eq!(identify(evidence(&[30, 10], None)), least(NoPane::Orphan, None));
        let mut unseen = evidence(&[30], None);
        unseen.ancestry.is_whole = false;
        assert_eq!(identify(unseen), least(NoPane::Unseen, None));
        let of_keeper = |state: &str| {
            let mut evidence = evidence(&[30, 20], None);
            evidence.ancestry.keepers.push(state.into());
            identify(evidence)
        };
        assert_eq!(of_keeper("/state/own"), least(NoPane::Orphan, None));
        assert_eq!(of_keeper("/state/other"), least(NoPane::OtherServer, None));
        assert_eq!(of_keeper("/elsewhere/other"), Ok(Caller::Outside));
        let mut nonsense = evidence(&[30], claim(pane));
        nonsense.claim.as_mut().expect("a claim").pane = "nonsense".into();
        assert_eq!(identify(nonsense), least(NoPane::Malformed, None));
    }
}
