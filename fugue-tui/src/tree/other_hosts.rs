//! The hosts that this client does not show now: their sessions as far as they are known, and those that cannot be reached.

use fugue_protocol::views::{PaneView, SessionView};
use fugue_protocol::{PaneId, SessionId, SessionName, Timestamp};

use super::Tree;

/// The most hosts besides the one that is shown: each costs an ssh process of a few megabytes here and a proxy there, and
/// more do not fit into what the poller can report.
pub(crate) const MAX_OTHER_HOSTS: usize = 100;

/// How a host answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostState {
    /// It has not answered yet.
    Connecting,
    Reachable,
    /// It can be reached, and no daemon runs there.
    NoDaemon,
    Unreachable {
        since: Timestamp,
        reason: String,
    },
}

/// A host beside the one whose session is shown.
#[derive(Debug, Clone)]
pub(crate) struct OtherHost {
    /// Its name; none for the host on which this client runs.
    pub(crate) name: Option<String>,
    pub(crate) state: HostState,
    pub(crate) sessions: Vec<SessionView>,
}

impl OtherHost {
    pub(crate) fn new(name: Option<&str>) -> Self {
        Self { name: name.map(str::to_owned), state: HostState::Connecting, sessions: Vec::new() }
    }

    /// Its name in a list.
    pub(crate) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("this host")
    }

    /// Since when it cannot be reached, and why, if it cannot.
    pub(crate) fn failure(&self) -> Option<(Timestamp, &str)> {
        match &self.state {
            HostState::Unreachable { since, reason } => Some((*since, reason)),
            _ => None,
        }
    }

    pub(crate) fn panes(&self) -> impl Iterator<Item = &PaneView> {
        self.sessions.iter().flat_map(|session| &session.windows).flat_map(|window| &window.panes)
    }
}

/// The name of a session with its host: `host/session`; on the host of this client it is the session's own.
pub(crate) fn full_name(host: Option<&str>, session: &SessionName) -> String {
    host.map_or_else(|| session.to_string(), |host| format!("{host}/{session}"))
}

/// A session somewhere: the host, and what is known of it.
pub(crate) type PlacedSession<'a> = (Option<&'a str>, &'a SessionView);

impl Tree {
    /// The sessions of all hosts, those of the host that is shown first.
    pub(crate) fn all_sessions(&self) -> impl Iterator<Item = PlacedSession<'_>> {
        let here = self.sessions.iter().map(|session| (self.host.as_deref(), session));
        let others = self.others.iter();
        here.chain(
            others.flat_map(|host| host.sessions.iter().map(|session| (host.name.as_deref(), session))),
        )
    }

    /// The panes of all hosts.
    pub(crate) fn all_panes(&self) -> impl Iterator<Item = &PaneView> {
        self.panes().chain(self.others.iter().flat_map(OtherHost::panes))
    }

    /// The session that is shown, with its host.
    pub(crate) fn here_name(&self) -> Option<String> {
        self.session().map(|session| full_name(self.host.as_deref(), &session.name))
    }

    /// The full name of a session of any host.
    pub(crate) fn name_of_session(&self, id: SessionId) -> Option<String> {
        let (host, session) = self.all_sessions().find(|(_, session)| session.session_id == id)?;
        Some(full_name(host, &session.name))
    }

    /// The session of another host with this id or full name.
    pub(crate) fn find_elsewhere(&self, target: &str) -> Option<SessionId> {
        let is_target = |host: &OtherHost, session: &SessionView| {
            session.session_id.to_string() == target
                || full_name(host.name.as_deref(), &session.name) == target
        };
        let mut found = self.others.iter().flat_map(|host| {
            host.sessions
                .iter()
                .filter(move |session| is_target(host, session))
                .map(|session| session.session_id)
        });
        found.next()
    }

    /// The pane with this id on any host.
    pub(crate) fn find_pane_anywhere(&self, id: PaneId) -> Option<&PaneView> {
        self.find_pane(id).or_else(|| self.all_panes().find(|pane| pane.pane_id == id))
    }

    /// The pane with this id on a host.
    pub(crate) fn find_pane_on(&self, host: Option<&str>, id: PaneId) -> Option<&PaneView> {
        if host == self.host.as_deref() {
            return self.find_pane(id);
        }
        self.others
            .iter()
            .find(|other| other.name.as_deref() == host)?
            .panes()
            .find(|pane| pane.pane_id == id)
    }

    /// The other host of this name.
    pub(crate) fn other_host(&mut self, name: Option<&str>) -> Option<&mut OtherHost> {
        self.others.iter_mut().find(|host| host.name.as_deref() == name)
    }

    /// Keeps the hosts with these names, in this order, and adds those that are new.
    pub(crate) fn set_others<'a>(&mut self, names: impl Iterator<Item = Option<&'a str>>) {
        let mut before = std::mem::take(&mut self.others);
        let mut known = |name: Option<&str>| {
            let at = before.iter().position(|host| host.name.as_deref() == name)?;
            Some(before.swap_remove(at))
        };
        self.others = names.map(|name| known(name).unwrap_or_else(|| OtherHost::new(name))).collect();
    }

    /// The tree as it is seen from a session of another host. The sessions that were shown are that host's view then.
    pub(crate) fn moved_to(mut self, host: Option<&str>, session: SessionId) -> Self {
        let title_rows = self.title_rows;
        self.set_title_rows(0);
        let mut moved = Self::new(session);
        let at = self.others.iter().position(|other| other.name.as_deref() == host);
        let sessions = at.map(|at| self.others.remove(at).sessions).unwrap_or_default();
        let left = OtherHost { name: self.host, state: HostState::Reachable, sessions: self.sessions };
        moved.others = self.others;
        moved.others.push(left);
        moved.host = host.map(str::to_owned);
        moved.last_session = Some(self.here);
        moved.title_rows = title_rows;
        moved.unlisted_hosts = self.unlisted_hosts;
        moved.update(sessions);
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::{session, tree};

    fn fleet() -> Tree {
        let mut tree = tree(vec![session(1, Some("working"), 0)]);
        tree.here = tree.sessions[0].session_id;
        tree.set_others([Some("gpu"), Some("lost")].into_iter());
        let gpu = tree.other_host(Some("gpu")).expect("a host");
        (gpu.sessions, gpu.state) = (vec![session(2, Some("blocked"), 0)], HostState::Reachable);
        tree
    }

    #[test]
    fn a_session_of_another_host_is_named_with_its_host() {
        let tree = fleet();
        let names: Vec<String> =
            tree.all_sessions().map(|(host, session)| full_name(host, &session.name)).collect();
        assert_eq!(names, ["s1", "gpu/s2"]);
        let id = session(2, None, 0).session_id;
        assert_eq!(tree.find_elsewhere("gpu/s2"), Some(id));
        assert_eq!(tree.find_elsewhere(&id.to_string()), Some(id));
        assert_eq!((tree.find_elsewhere("s2"), tree.find_elsewhere("lost/s2")), (None, None));
    }

    #[test]
    fn a_host_changes_no_pane_of_another_host() {
        let mut tree = fleet();
        let (own, theirs) = (tree.sessions[0].windows[0].panes[0].clone(), session(2, Some("blocked"), 0));
        let agent = |tree: &Tree, host, pane| tree.find_pane_on(host, pane).map(|pane| pane.agent.is_some());
        tree.set_agent(Some("gpu"), own.pane_id, None);
        assert_eq!(agent(&tree, None, own.pane_id), Some(true), "of this host");
        let pane = theirs.windows[0].panes[0].pane_id;
        tree.set_agent(None, pane, None);
        assert_eq!(agent(&tree, Some("gpu"), pane), Some(true), "of that host");
        tree.set_agent(Some("gpu"), pane, None);
        assert_eq!(agent(&tree, Some("gpu"), pane), Some(false));
        assert_eq!(agent(&tree, None, pane), None);
    }

    #[test]
    fn a_person_who_goes_to_another_host_still_sees_the_one_left_behind() {
        let mut tree = fleet();
        tree.set_title_rows(1);
        let rows = tree.sessions[0].windows[0].dimensions.rows;
        let (from, to) = (tree.here, session(2, None, 0).session_id);
        let there = tree.moved_to(Some("gpu"), to);
        assert_eq!(there.here_name().as_deref(), Some("gpu/s2"));
        assert_eq!(there.last_session, Some(from));
        assert_eq!(there.find_elsewhere("s1"), Some(from));
        let back = there.moved_to(None, from);
        assert_eq!(back.here_name().as_deref(), Some("s1"));
        assert_eq!(back.sessions[0].windows[0].dimensions.rows, rows, "the row of titles is counted once");
        assert_eq!(back.others.len(), 2);
    }

    #[test]
    fn hosts_that_stay_in_the_configuration_keep_what_is_known_of_them() {
        let mut tree = fleet();
        tree.set_others([Some("new"), Some("gpu")].into_iter());
        let states: Vec<(&str, usize)> =
            tree.others.iter().map(|host| (host.label(), host.sessions.len())).collect();
        assert_eq!(states, [("new", 0), ("gpu", 1)]);
    }
}
