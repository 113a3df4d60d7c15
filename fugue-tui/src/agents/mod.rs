//! Agents as a person wants to see them: who needs a person comes first, with the reason and since when. Shells and other
//! programs that exited or were lost are not among them: their panes and the status line say so.

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, AgentView, Urgency};
use fugue_protocol::views::{ExitStatus, Life, PaneView, SessionView, program_in_pane};

use crate::theme::ThemePart;
use crate::tree::{PlacedSession, Tree, full_name};

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

/// The age of what was less than a minute ago.
pub(crate) const NOW: &str = "now";

/// How long ago something was, in a few letters.
pub(crate) fn ago(now: Timestamp, since: Timestamp) -> String {
    let minutes = now.since(since).as_secs() / 60;
    match minutes {
        0 => NOW.into(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        _ => format!("{}d", minutes / 1440),
    }
}

/// The number of agents in each state, over all sessions of all hosts, and of unread messages on the host that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AgentCounts {
    pub(crate) waiting: usize,
    pub(crate) failed: usize,
    pub(crate) working: usize,
    pub(crate) unread: usize,
}

impl AgentCounts {
    pub(crate) fn of(tree: &Tree) -> Self {
        let states = || tree.all_panes().filter_map(|pane| pane.agent.as_ref()).map(|agent| agent.state);
        Self {
            waiting: states().filter(|state| state.needs_somebody()).count(),
            failed: states().filter(|state| *state == AgentState::Error).count(),
            working: states().filter(|state| *state == AgentState::Working).count(),
            unread: tree.sessions.iter().map(|session| session.unread).sum(),
        }
    }

    /// The counts as text, each with its part of the theme; zeros are omitted.
    pub(crate) fn texts(self) -> Vec<(String, ThemePart)> {
        let verb = if self.waiting == 1 { "needs" } else { "need" };
        let counts = [
            (self.waiting, format!("{} {verb} you", self.waiting), ThemePart::BarWaiting),
            (self.failed, format!("{} failed", self.failed), ThemePart::BarFailed),
            (self.working, format!("{} working", self.working), ThemePart::Bar),
            (self.unread, format!("{} unread", self.unread), ThemePart::Bar),
        ];
        counts.into_iter().filter(|(count, ..)| *count > 0).map(|(_, text, part)| (text, part)).collect()
    }
}

/// How urgently a pane needs a person; none if no agent is or was in it.
fn urgency(pane: &PaneView) -> Option<Urgency> {
    if !has_agent(pane) {
        return None;
    }
    match pane.state {
        Life::Lost => Some(Urgency::Failed),
        Life::Exited if pane.exit == Some(ExitStatus::Code(0)) => Some(Urgency::Done),
        Life::Exited => Some(Urgency::Failed),
        Life::Running => pane.agent.as_ref().map(|agent| agent.state.urgency()),
    }
}

/// Whether an agent is in a pane, or was in it when its program exited or was lost.
fn has_agent(pane: &PaneView) -> bool {
    match pane.state {
        Life::Running => pane.agent.is_some(),
        Life::Exited => pane.agent.is_some() || pane.conversation.is_some(),
        Life::Lost => {
            pane.lost.as_ref().is_some_and(|lost| lost.agent.is_some() || lost.conversation.is_some())
        }
    }
}

/// The name of the agent that was in a pane when its program exited or was lost.
fn last_agent(pane: &PaneView) -> Option<&str> {
    let lost = pane.lost.as_ref();
    let agent = pane.agent.as_ref().or_else(|| lost?.agent.as_ref()).map(|agent| agent.name.as_str());
    agent.or_else(|| Some(pane.conversation.as_ref()?.agent.as_str()))
}

/// An agent as one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentRow<'a> {
    pub(crate) urgency: Urgency,
    /// The host; none for the one on which this client runs.
    pub(crate) host: Option<&'a str>,
    pub(crate) session: &'a SessionView,
    pub(crate) pane: &'a PaneView,
}

impl AgentRow<'_> {
    /// Its symbol, and the part of the theme that draws it.
    pub(crate) fn sign(&self) -> (char, ThemePart) {
        match (&self.pane.agent, self.pane.state, self.urgency) {
            (Some(agent), Life::Running, _) => state_symbol(agent.state),
            (_, _, Urgency::Done) => state_symbol(AgentState::Complete),
            _ => state_symbol(AgentState::Error),
        }
    }

    /// The name of its session, with the host.
    pub(crate) fn session_name(&self) -> String {
        full_name(self.host, &self.session.name)
    }

    /// The name of its session, and the number of its window if the session has several agents.
    pub(crate) fn place(&self) -> String {
        let agents = panes_of(self.session).filter(|pane| has_agent(pane)).count();
        let window = self.session.windows.iter().find(|window| window.window_id == self.pane.window_id);
        match window.filter(|_| agents > 1) {
            Some(window) => format!("{}:{}", self.session_name(), window.index),
            None => self.session_name(),
        }
    }

    /// Its name: the pane's, the agent's, or that of the program.
    pub(crate) fn name(&self) -> String {
        match (&self.pane.agent, self.pane.state) {
            (Some(agent), Life::Running) => name_of(agent, self.pane),
            _ => {
                let agent =
                    || last_agent(self.pane).map_or_else(|| program(&self.pane.command), str::to_owned);
                self.pane.name.as_ref().map_or_else(agent, ToString::to_string)
            }
        }
    }

    /// Why it is in its state, where there is more to say than the state.
    pub(crate) fn explanation(&self) -> String {
        let reason = self.pane.agent.as_ref().and_then(|agent| agent.reason.clone());
        match self.pane.state {
            Life::Running => reason.unwrap_or_default(),
            Life::Exited => reason.unwrap_or_else(|| self.reason()),
            Life::Lost => String::new(),
        }
    }

    /// The same, with the number of messages that its session has not read.
    pub(crate) fn explanation_and_unread(&self) -> String {
        let unread = match self.session.unread {
            0 => String::new(),
            unread => format!("{unread} unread"),
        };
        let parts = [unread, self.explanation()];
        parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" · ")
    }

    /// The reason after a colon, where there is more to say than the state.
    pub(crate) fn colon_reason(&self) -> String {
        let reason = self.explanation();
        if reason.is_empty() { reason } else { format!(": {reason}") }
    }

    /// Its name, its session, its state and the reason, as one sentence.
    pub(crate) fn placed_sentence(&self) -> String {
        format!("{} in {} {}{}", self.name(), self.place(), self.state(), self.colon_reason())
    }

    /// Why it is in its state, or else the state.
    pub(crate) fn reason(&self) -> String {
        match (&self.pane.agent, self.pane.state) {
            (_, Life::Lost) => self.state().into(),
            (_, Life::Exited) => self.pane.exit.map(|exit| exit.to_string()).unwrap_or_default(),
            (Some(agent), Life::Running) => {
                agent.reason.clone().unwrap_or_else(|| agent.state_words().into())
            }
            (None, Life::Running) => String::new(),
        }
    }

    /// The state in words, where the reason does not say it.
    pub(crate) fn state(&self) -> &'static str {
        match (&self.pane.agent, self.pane.state) {
            (Some(agent), Life::Running) => agent.state_words(),
            (_, Life::Lost) => "lost in a restart",
            _ => "exited",
        }
    }

    /// How long it has been like this, where that is known.
    pub(crate) fn age(&self, now: Timestamp) -> String {
        let agent = self.pane.agent.as_ref().filter(|_| self.pane.state == Life::Running);
        agent.map(|agent| ago(now, agent.since)).unwrap_or_default()
    }

    fn since(&self) -> Option<Timestamp> {
        self.pane.agent.as_ref().map(|agent| agent.since)
    }
}

/// All agents of all hosts: those that need a person most first, and of those the ones that waited longest.
pub(crate) fn rows(tree: &Tree) -> Vec<AgentRow<'_>> {
    by_urgency(tree.all_sessions().flat_map(agents_of).collect())
}

/// The agents of a session, in the same order.
pub(crate) fn session_rows<'a>(session: PlacedSession<'a>) -> Vec<AgentRow<'a>> {
    by_urgency(agents_of(session).collect())
}

/// The row of a pane, if an agent is or was in it.
pub(crate) fn pane_row<'a>((host, session): PlacedSession<'a>, pane: &'a PaneView) -> Option<AgentRow<'a>> {
    Some(AgentRow { urgency: urgency(pane)?, host, session, pane })
}

fn agents_of<'a>(session: PlacedSession<'a>) -> impl Iterator<Item = AgentRow<'a>> {
    panes_of(session.1).filter_map(move |pane| pane_row(session, pane))
}

fn by_urgency(mut rows: Vec<AgentRow<'_>>) -> Vec<AgentRow<'_>> {
    // Without a time they come last.
    rows.sort_by_key(|row| (row.urgency, row.since().is_none(), row.since()));
    rows
}

fn panes_of(session: &SessionView) -> impl Iterator<Item = &PaneView> {
    session.windows.iter().flat_map(|window| &window.panes)
}

/// The agents to visit: those that need a person, the one that has waited longest first, and then those that failed.
pub(crate) fn to_visit(tree: &Tree) -> Vec<AgentRow<'_>> {
    let visited = |row: &AgentRow<'_>| {
        row.urgency == Urgency::NeedsPerson || row.urgency == Urgency::Failed && row.pane.agent.is_some()
    };
    rows(tree).into_iter().filter(visited).collect()
}

/// The name of the program in a pane.
pub(crate) fn program_of(pane: &PaneView) -> String {
    let agent = pane.agent.as_ref().map(|agent| agent.name.as_str());
    program_in_pane(agent, pane.foreground.as_deref()).map_or_else(|| program(&pane.command), str::to_owned)
}

/// The name of the program that a command line starts.
fn program(line: &str) -> String {
    let first = line.split_whitespace().next().unwrap_or(line);
    first.rsplit('/').next().unwrap_or(first).to_owned()
}

/// The name of an agent: its pane's name, or else its own.
pub(crate) fn name_of(agent: &AgentView, pane: &PaneView) -> String {
    pane.name.as_ref().map_or_else(|| agent.name.clone(), ToString::to_string)
}

/// The branch of a session, or its worktree.
pub(crate) fn session_place(session: &SessionView) -> String {
    let place = session.place.as_ref();
    let branch = place.and_then(|place| place.branch.clone());
    let worktree = place.and_then(|place| place.worktree.rsplit('/').next().map(str::to_owned));
    branch.or(worktree).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
