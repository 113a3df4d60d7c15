//! Agents as a person wants to see them: which ones need a person, which ones work, since when and why.

use fugue_protocol::agents::{AgentState, AgentView};
use fugue_protocol::views::{Life, PaneView, SessionView};
use fugue_protocol::{SessionId, Timestamp};

use crate::theme::ThemePart;
use crate::tree::Tree;

/// A state's symbol, and the part of the theme that draws it.
pub(crate) fn state_symbol(state: AgentState) -> (char, ThemePart) {
    match state {
        AgentState::Working => ('▸', ThemePart::Working),
        AgentState::WaitingForInput => ('?', ThemePart::Waiting),
        AgentState::Blocked => ('!', ThemePart::Waiting),
        AgentState::Complete => ('✓', ThemePart::Complete),
        AgentState::Error => ('✗', ThemePart::Failed),
        AgentState::Idle => ('·', ThemePart::Faint),
        AgentState::Unknown => ('~', ThemePart::Faint),
    }
}

/// How long ago something was, in a few letters.
pub(crate) fn ago(now: Timestamp, since: Timestamp) -> String {
    let minutes = now.since(since).as_secs() / 60;
    match minutes {
        0 => "now".into(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        _ => format!("{}d", minutes / 1440),
    }
}

/// The number of agents in each state, over all sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AgentCounts {
    pub(crate) waiting: usize,
    pub(crate) working: usize,
    pub(crate) unread: usize,
}

impl AgentCounts {
    pub(crate) fn of(tree: &Tree) -> Self {
        let states = || tree.panes().filter_map(|pane| pane.agent.as_ref()).map(|agent| agent.state);
        Self {
            waiting: states().filter(|state| state.needs_somebody()).count(),
            working: states().filter(|state| *state == AgentState::Working).count(),
            unread: tree.sessions.iter().map(|session| session.unread).sum(),
        }
    }

    /// The counts as text; zeros are omitted.
    pub(crate) fn text(self) -> String {
        let counted = |count: usize, text: String| if count > 0 { text } else { String::new() };
        let verb = if self.waiting == 1 { "needs" } else { "need" };
        [
            counted(self.waiting, format!("{} {verb} you  ", self.waiting)),
            counted(self.working, format!("{} working  ", self.working)),
            counted(self.unread, format!("{} unread  ", self.unread)),
        ]
        .concat()
    }
}

/// The number of agents, over all sessions.
pub(crate) fn count(tree: &Tree) -> usize {
    tree.panes().filter(|pane| pane.agent.is_some()).count()
}

/// The agents that need a person, the one that has waited longest first.
pub(crate) fn waiting(tree: &Tree) -> Vec<&PaneView> {
    let needs = |pane: &&PaneView| pane.agent.as_ref().is_some_and(|agent| agent.state.needs_somebody());
    let mut waiting: Vec<&PaneView> = tree.panes().filter(needs).collect();
    waiting.sort_by_key(|pane| pane.agent.as_ref().map(|agent| agent.since));
    waiting
}

/// A line of the sidebar and of the list of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentLine<'a> {
    /// The depth in the tree of parent sessions.
    pub(crate) depth: usize,
    pub(crate) kind: AgentLineKind<'a>,
}

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgentLineKind<'a> {
    Session(&'a SessionView),
    /// A pane that has an agent, or whose program has exited.
    Pane(&'a PaneView),
}

/// The sessions, each below its parent, with its agents and its exited programs.
pub(crate) fn lines(tree: &Tree) -> Vec<AgentLine<'_>> {
    let known = |id: &SessionId| tree.sessions.iter().any(|session| session.session_id == *id);
    let roots = tree.sessions.iter().filter(|session| session.parent_id.is_none_or(|id| !known(&id)));
    let mut lines = Vec::new();
    roots.for_each(|session| descend(tree, session, 0, &mut lines));
    lines
}

fn descend<'a>(tree: &'a Tree, session: &'a SessionView, depth: usize, lines: &mut Vec<AgentLine<'a>>) {
    /// Deeper sessions are not indented further.
    const DEEPEST: usize = 16;
    lines.push(AgentLine { depth, kind: AgentLineKind::Session(session) });
    let panes = session.windows.iter().flat_map(|window| &window.panes);
    let listed = panes.filter(|pane| pane.agent.is_some() || pane.state != Life::Running);
    lines.extend(listed.map(|pane| AgentLine { depth, kind: AgentLineKind::Pane(pane) }));
    if depth < DEEPEST {
        let children = tree.sessions.iter().filter(|child| child.parent_id == Some(session.session_id));
        children.for_each(|child| descend(tree, child, depth + 1, lines));
    }
}

/// The texts for a pane: its symbol, its theme part, its name, and its age and reason.
pub(crate) fn pane_text(pane: &PaneView, now: Timestamp) -> (char, ThemePart, String, String) {
    match (&pane.agent, pane.state) {
        (_, Life::Lost) => ('✗', ThemePart::Failed, name(pane), "lost".into()),
        (_, Life::Exited) => {
            let exit = pane.exit.map(|exit| exit.to_string()).unwrap_or_default();
            let failed = pane.exit != Some(fugue_protocol::views::ExitStatus::Code(0));
            let (sign, part) = if failed { ('✗', ThemePart::Failed) } else { ('✓', ThemePart::Complete) };
            (sign, part, name(pane), exit)
        }
        (Some(agent), Life::Running) => {
            let (sign, part) = state_symbol(agent.state);
            (sign, part, name_of(agent, pane), about(agent, now))
        }
        (None, Life::Running) => ('·', ThemePart::Faint, name(pane), String::new()),
    }
}

fn about(agent: &AgentView, now: Timestamp) -> String {
    let reason = agent.reason.as_ref().map(|reason| format!(" · {reason}")).unwrap_or_default();
    format!("{}{reason}", ago(now, agent.since))
}

fn name(pane: &PaneView) -> String {
    pane.name.as_ref().map_or_else(|| pane.command.clone(), ToString::to_string)
}

/// The name of an agent: its pane's name, or else its own.
pub(crate) fn name_of(agent: &AgentView, pane: &PaneView) -> String {
    pane.name.as_ref().map_or_else(|| agent.name.clone(), ToString::to_string)
}

/// The branch and the unread messages of a session.
pub(crate) fn session_text(session: &SessionView) -> String {
    let place = session.place.as_ref();
    let branch = place.and_then(|place| place.branch.clone());
    let worktree = place.and_then(|place| place.worktree.rsplit('/').next().map(str::to_owned));
    let unread = if session.unread > 0 { format!("✉{}", session.unread) } else { String::new() };
    [branch.or(worktree).unwrap_or_default(), unread].join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_abbreviated() {
        let at = |minutes: u64| Timestamp::from_millis(minutes * 60_000);
        let ages = [0, 1, 59, 60, 1439, 1440, 9000].map(|minutes| ago(at(10_000), at(10_000 - minutes)));
        assert_eq!(ages, ["now", "1m", "59m", "1h", "23h", "1d", "6d"]);
        assert_eq!(ago(at(1), at(2)), "now", "a clock that went back");
    }

    #[test]
    fn only_nonzero_counts_are_shown() {
        assert_eq!(AgentCounts::default().text(), "");
        let counts = AgentCounts { waiting: 1, working: 3, unread: 2 };
        assert_eq!(counts.text(), "1 needs you  3 working  2 unread  ");
    }
}
