//! The sidebar, and going from agent to agent.

use fugue_protocol::verbs::ListPermissions;
use fugue_protocol::views::PermissionList;
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use super::state::daemon::Purpose;
use crate::agents::{self, AgentLineKind};
use crate::draw::MIN_TERMINAL_COLS;
use crate::overlays::{self, Overlay};

impl App {
    /// Opens or closes the sidebar; in a narrow terminal the list of agents takes its place.
    pub(super) fn toggle_sidebar(&mut self) {
        if self.display.size.cols < MIN_TERMINAL_COLS {
            return self.list_agents();
        }
        self.display.sidebar_open = !self.display.sidebar_open;
        self.panes.sizing.leads = true;
        self.sync_views();
    }

    /// Lists the agents, once it is known what they ask.
    pub(super) fn list_agents(&mut self) {
        self.daemon.request(Purpose::Agents, &ListPermissions {});
    }

    /// Lists the agents, with the choices of those that ask something.
    pub(super) fn show_agents(&mut self, asked: &PermissionList) {
        let list = overlays::agents(&self.tree, asked, super::render::now());
        self.open_overlay(Overlay::List(list));
        self.watch_visible();
    }

    /// Asks again what the agents ask, if they are listed.
    pub(super) fn agents_may_have_changed(&mut self) {
        if !self.lists_agents() {
            return;
        }
        // The answer to a request that is under way may be older than the change.
        self.overlays.is_stale = self.daemon.has_requested(Purpose::OpenAgents);
        if !self.overlays.is_stale {
            self.daemon.request(Purpose::OpenAgents, &ListPermissions {});
        }
    }

    fn lists_agents(&self) -> bool {
        matches!(&self.overlays.current, Some(Overlay::List(list)) if list.is_titled(overlays::AGENTS))
    }

    /// Renews the list of agents, if it is still open.
    pub(super) fn renew_agents(&mut self, asked: &PermissionList) {
        let newer = overlays::agents(&self.tree, asked, super::render::now());
        match &mut self.overlays.current {
            Some(Overlay::List(list)) if list.is_titled(overlays::AGENTS) => list.renew(newer),
            _ => return,
        }
        self.watch_visible();
        self.display.redraw();
        if std::mem::take(&mut self.overlays.is_stale) {
            self.agents_may_have_changed();
        }
    }

    /// Goes to the agent that has waited longest for a person, and from there to the next.
    pub(super) fn next_agent(&mut self) {
        let here = self.tree.pane().map(|pane| pane.pane_id);
        let waiting = agents::waiting(&self.tree);
        let at = waiting.iter().position(|pane| Some(pane.pane_id) == here).map_or(0, |at| at + 1);
        let Some(next) = waiting.get(at).or_else(|| waiting.first()) else {
            return self.say("No agent needs you");
        };
        let line = overlays::go_to_line(&self.tree, next);
        self.run_line(&line);
    }

    pub(super) fn sidebar_mouse(&mut self, event: MouseEvent) {
        if event.action != Action::Press(Button::Left) {
            return;
        }
        let lines = agents::lines(&self.tree);
        let line = lines.get(usize::from(event.row)).map(|line| match &line.kind {
            AgentLineKind::Session(session) => format!("attach {}", session.session_id),
            AgentLineKind::Pane(pane) => overlays::go_to_line(&self.tree, pane),
        });
        if let Some(line) = line {
            self.run_line(&line);
        }
    }
}
