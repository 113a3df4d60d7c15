//! The sidebar, and going from agent to agent.

use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use crate::agents::{self, AgentLineKind};
use crate::draw::{NARROW, WIDTH};
use crate::overlays::{self, Overlay};

impl App {
    /// Whether the sidebar is seen: it must be open, and the terminal wide enough.
    pub(super) fn sidebar_seen(&self) -> bool {
        self.sidebar && self.size.cols >= NARROW
    }

    /// Columns that it takes.
    pub(super) fn sidebar_cols(&self) -> u16 {
        if self.sidebar_seen() { WIDTH.min(self.size.cols / 2) } else { 0 }
    }

    /// Opens or closes it; in a narrow terminal the list of agents takes its place.
    pub(super) fn toggle_sidebar(&mut self) {
        if self.size.cols < NARROW {
            return self.list_agents();
        }
        self.sidebar = !self.sidebar;
        self.leads = true;
        self.settle();
    }

    pub(super) fn list_agents(&mut self) {
        self.cover(Overlay::List(overlays::agents(&self.tree, super::show::now())));
        self.watch();
        self.dirty = true;
    }

    /// Goes to the agent that has waited longest for somebody, and from there to the next.
    pub(super) fn next_agent(&mut self) {
        let here = self.tree.pane().map(|pane| pane.pane_id);
        let waiting = agents::waiting(&self.tree);
        let at = waiting.iter().position(|pane| Some(pane.pane_id) == here).map_or(0, |at| at + 1);
        let Some(next) = waiting.get(at).or_else(|| waiting.first()) else {
            return self.say(" no agent needs you");
        };
        let line = overlays::going(&self.tree, next);
        self.run_line(&line);
    }

    pub(super) fn sidebar_mouse(&mut self, event: MouseEvent) {
        if event.action != Action::Press(Button::Left) {
            return;
        }
        let lines = agents::lines(&self.tree);
        let line = lines.get(usize::from(event.row)).map(|line| match &line.what {
            AgentLineKind::Session(session) => format!("attach {}", session.session_id),
            AgentLineKind::Pane(pane) => overlays::going(&self.tree, pane),
        });
        if let Some(line) = line {
            self.run_line(&line);
        }
    }
}
