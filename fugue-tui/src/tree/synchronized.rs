//! Panes that share their input: all panes of a synchronized window, also those that are opened later, and panes that
//! were chosen one by one.

use std::collections::BTreeSet;

use fugue_protocol::views::{Life, PaneView};
use fugue_protocol::{PaneId, WindowId};

use super::Tree;

/// What shares its input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Synchronized {
    windows: BTreeSet<WindowId>,
    panes: BTreeSet<PaneId>,
}

impl Synchronized {
    /// Whether nothing is synchronized. This is asked for every key and every pane that is drawn.
    fn is_empty(&self) -> bool {
        self.windows.is_empty() && self.panes.is_empty()
    }
}

impl Tree {
    /// Turns the synchronization of the current window on or off; without `on`, toggles it.
    pub(crate) fn synchronize_window(&mut self, on: Option<bool>) {
        let Some(window) = self.window() else { return };
        let (id, panes) =
            (window.window_id, window.panes.iter().map(|pane| pane.pane_id).collect::<Vec<_>>());
        let is_on = panes.iter().any(|pane| self.is_synchronized(*pane));
        if on.unwrap_or(!is_on) {
            self.synchronized.windows.insert(id);
        } else {
            self.synchronized.windows.remove(&id);
            self.synchronized.panes.retain(|pane| !panes.contains(pane));
        }
    }

    /// Adds the current pane to those that were chosen, or removes it.
    pub(crate) fn choose_synchronized(&mut self) {
        if let Some(pane) = self.pane().map(|pane| pane.pane_id)
            && !self.synchronized.panes.remove(&pane)
        {
            self.synchronized.panes.insert(pane);
        }
    }

    /// Whether a pane shares its input.
    pub(crate) fn is_synchronized(&self, pane: PaneId) -> bool {
        if self.synchronized.is_empty() {
            return false;
        }
        let window = self.window_of(pane);
        window.is_some_and(|window| self.synchronized.windows.contains(&window))
            || self.synchronized.panes.contains(&pane)
    }

    /// All panes that share their input.
    pub(crate) fn synchronized_panes(&self) -> Vec<PaneId> {
        self.panes().map(|pane| pane.pane_id).filter(|pane| self.is_synchronized(*pane)).collect()
    }

    /// The other panes that get what is typed into a pane: those whose programs run.
    pub(crate) fn synchronized_with(&self, pane: PaneId) -> Vec<PaneId> {
        if self.synchronized.is_empty() {
            return Vec::new();
        }
        let window = self.window_of(pane).filter(|window| self.synchronized.windows.contains(window));
        let is_chosen = self.synchronized.panes.contains(&pane);
        let windows = self.sessions.iter().flat_map(|session| &session.windows);
        let panes = windows.flat_map(|of| of.panes.iter().map(move |pane| (of.window_id, pane)));
        let shares = |(of, other): &(WindowId, &PaneView)| {
            let is_other = other.pane_id != pane && other.state == Life::Running;
            is_other && (Some(*of) == window || is_chosen && self.synchronized.panes.contains(&other.pane_id))
        };
        panes.filter(shares).map(|(_, other)| other.pane_id).collect()
    }

    /// Forgets windows and panes that are gone.
    pub(super) fn forget_closed_synchronized(&mut self) {
        if self.synchronized.is_empty() {
            return;
        }
        let windows = self.sessions.iter().flat_map(|session| &session.windows);
        let ids = windows.clone().map(|window| window.window_id).collect::<BTreeSet<_>>();
        let panes =
            windows.flat_map(|window| &window.panes).map(|pane| pane.pane_id).collect::<BTreeSet<_>>();
        self.synchronized.windows.retain(|window| ids.contains(window));
        self.synchronized.panes.retain(|pane| panes.contains(pane));
    }

    fn window_of(&self, pane: PaneId) -> Option<WindowId> {
        let mut windows = self.sessions.iter().flat_map(|session| &session.windows);
        let window = windows.find(|window| window.panes.iter().any(|other| other.pane_id == pane));
        window.map(|window| window.window_id)
    }
}
