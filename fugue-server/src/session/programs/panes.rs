//! The manager's panes: a handle to the task of each, and the terminals in which their sessions are shown.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use fugue_core::World;
use fugue_core::edge_request::TerminalReport;
use fugue_core::ended_panes::MAX_ENDED;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, RunId, SessionId};

use super::session_terminals::SessionTerminals;
use crate::pane::{ClientTerminal, LastScreen, PaneHandle};

/// The panes whose programs this daemon shows.
#[derive(Default)]
pub(crate) struct Panes {
    handles: BTreeMap<PaneId, PaneHandle>,
    /// The last screens of panes that were closed because their programs ended, the newest last.
    ended: VecDeque<LastScreen>,
    terminals: SessionTerminals,
}

impl Panes {
    pub(crate) fn get(&self, id: PaneId) -> Option<&PaneHandle> {
        self.handles.get(&id)
    }

    pub(crate) fn with_run(&self, run: RunId) -> Option<&PaneHandle> {
        self.handles.values().find(|pane| pane.run == run)
    }

    pub(crate) fn insert(&mut self, id: PaneId, pane: PaneHandle) {
        self.handles.insert(id, pane);
    }

    pub(crate) fn remove(&mut self, id: PaneId) -> Option<PaneHandle> {
        self.handles.remove(&id)
    }

    /// Keeps the last screen of a pane that is closed because its program has ended.
    pub(crate) fn keep_ended(&mut self, id: PaneId, pane: PaneHandle, exit: ExitStatus) {
        while self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(LastScreen::keep(id, pane, exit));
    }

    /// Returns the last screen of a pane that was closed because its program ended.
    pub(crate) fn ended(&self, id: PaneId) -> Option<&LastScreen> {
        self.ended.iter().find(|ended| ended.is_of(id))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &PaneHandle> {
        self.handles.values()
    }

    /// Returns the panes whose output is not processed.
    pub(crate) fn set_aside(&self) -> impl Iterator<Item = PaneId> {
        self.handles.iter().filter(|(_, pane)| pane.is_set_aside).map(|(id, _)| *id)
    }

    /// Returns the current directory of each pane whose directory is known.
    pub(super) fn directories(&self) -> Vec<(PaneId, PathBuf)> {
        self.handles.iter().filter_map(|(id, pane)| Some((*id, pane.directory()?))).collect()
    }

    /// Tells the panes of a session about the terminal that shows it.
    pub(crate) fn set_terminal(&mut self, world: &World, session: SessionId, reported: &TerminalReport) {
        self.terminals.retain(|session| world.sessions.contains_key(session));
        let Some(terminal) = self.terminals.update(session, reported) else { return };
        let in_session = |id: &PaneId| session_of(world, *id) == Some(session);
        let panes = self.handles.iter().filter(|(id, _)| in_session(id));
        panes.for_each(|(_, pane)| pane.set_terminal(terminal));
    }

    /// Returns the terminal for a new pane.
    pub(crate) fn terminal_for(&self, world: &World, id: PaneId) -> ClientTerminal {
        session_of(world, id).map(|session| self.terminals.get(session)).unwrap_or_default()
    }
}

fn session_of(world: &World, pane: PaneId) -> Option<SessionId> {
    world.panes.get(&pane).map(|pane| world.session_of(pane).id)
}
