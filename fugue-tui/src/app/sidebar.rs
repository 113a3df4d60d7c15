//! The sidebar, and going from agent to agent.

use std::time::Instant;

use fugue_protocol::PaneId;
use fugue_protocol::verbs::ListPermissions;
use fugue_protocol::views::PermissionList;
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use super::state::AgentVisit;
use super::state::daemon::Purpose;
use super::state::display::SidebarState;
use crate::agents;
use crate::clock;
use crate::draw::{self, MIN_TERMINAL_COLS};
use crate::overlays::{self, Overlay, WHEEL_ROWS};
use crate::text_wrap::shortened;

impl App {
    /// Opens or closes the sidebar; in a narrow terminal the list of agents takes its place.
    pub(super) fn toggle_sidebar(&mut self) {
        if self.display.size.cols < MIN_TERMINAL_COLS {
            return self.list_agents();
        }
        self.display.toggle_sidebar();
        let is_open = self.display.sidebar.state != SidebarState::Closed;
        if is_open && draw::sidebar_rows(&self.tree).is_empty() {
            self.say("No agents yet; the sidebar appears when one runs in a pane");
        }
        self.panes.sizing.leads = true;
        self.update_sidebar();
        self.sync_views();
    }

    /// Gives the sidebar the columns for what it holds. Returns whether they changed.
    pub(super) fn update_sidebar(&mut self) -> bool {
        let width = draw::sidebar_width(&self.tree, self.display.size.cols);
        let panes = draw::sidebar_rows(&self.tree).iter().map(draw::SidebarRow::pane).collect();
        self.display.sidebar.order.note(panes, Instant::now());
        let before = self.display.sidebar_cols();
        self.display.sidebar.width = width;
        before != self.display.sidebar_cols()
    }

    /// Lists the agents, once it is known what they ask.
    pub(super) fn list_agents(&mut self) {
        self.hosts.hurry();
        self.daemon.request(Purpose::Agents, &ListPermissions {});
    }

    /// Lists the agents, with the choices of those that ask something.
    pub(super) fn show_agents(&mut self, asked: &PermissionList) {
        let list = overlays::agents(&self.tree, asked, clock::now(), self.display.size.cols);
        self.open_overlay(Overlay::List(list.avoiding(self.config.keys.prefix())));
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
        let newer = overlays::agents(&self.tree, asked, clock::now(), self.display.size.cols);
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

    /// Goes to the agent that has waited longest for a person, and from there to the next; after those that wait come
    /// those that failed.
    pub(super) fn next_agent(&mut self) {
        let here = self.tree.pane().map(|pane| pane.pane_id);
        let visited = agents::to_visit(&self.tree);
        let at = visited.iter().position(|row| Some(row.pane.pane_id) == here).map_or(0, |at| at + 1);
        let Some(next) = visited.get(at).or_else(|| visited.first()) else {
            return self.say("No agent needs your attention");
        };
        let (line, why) = (overlays::go_to_line(next.pane), next.placed_sentence());
        self.run_line(&line);
        // In one row: where it is and its state come first.
        let room = usize::from(self.display.size.cols).saturating_sub(2);
        self.say(shortened(&why, room));
    }

    /// Remembers where the person was before going to a pane. A series of visits has one origin.
    pub(super) fn note_jump_to(&mut self, pane: &str) {
        let Ok(to) = pane.parse::<PaneId>() else { return };
        let Some(here) = self.tree.pane().map(|pane| pane.pane_id).filter(|here| *here != to) else { return };
        let from = match self.keyboard.jump.filter(|last| last.to == here) {
            Some(last) if last.from.1 != to => last.from,
            _ => (self.tree.here, here),
        };
        self.keyboard.jump = Some(AgentVisit { from, to });
    }

    /// Goes back to where the person was before the last visits.
    pub(super) fn go_back(&mut self) {
        let exists = |jump: &AgentVisit| self.tree.find_pane_anywhere(jump.from.1).is_some();
        let Some(AgentVisit { from, .. }) = self.keyboard.jump.filter(exists) else {
            let key = self.key_for("next-agent");
            return self.say(format!("No previous pane to return to; {key} jumps to an agent"));
        };
        self.keyboard.jump = None;
        self.run_line(&format!("attach {} {}", from.0, from.1));
    }

    pub(super) fn sidebar_mouse(&mut self, event: MouseEvent) {
        match event.action {
            Action::Press(Button::WheelUp) => self.scroll_sidebar(-(WHEEL_ROWS as isize)),
            Action::Press(Button::WheelDown) => self.scroll_sidebar(WHEEL_ROWS as isize),
            Action::Press(Button::Left) => self.click_sidebar(usize::from(event.row)),
            _ => {}
        }
    }

    fn scroll_sidebar(&mut self, by: isize) {
        let rows = draw::sidebar_rows(&self.tree).len();
        let first = self.display.sidebar.first.saturating_add_signed(by);
        self.display.sidebar.first = draw::VisibleRows::of(rows, first, self.window_area().rows).first;
        self.display.redraw();
    }

    fn click_sidebar(&mut self, line: usize) {
        let rows = draw::sidebar_rows(&self.tree);
        let (first, room) = (self.display.sidebar.first, self.window_area().rows);
        let row_at = |total| draw::VisibleRows::of(total, first, room).row_at(line);
        if self.display.sidebar.order.has_moved(row_at, Instant::now()) {
            return self.say("The rows have just moved; click again");
        }
        match row_at(rows.len()).and_then(|row| rows.get(row)) {
            Some(draw::SidebarRow::Agent(row)) => {
                let line = overlays::go_to_line(row.pane);
                self.run_line(&line);
            }
            Some(draw::SidebarRow::Host(host)) => {
                let why = host.failure().map(|(_, why)| format!("{}: {why}", host.label()));
                self.hosts.hurry();
                self.say(why.unwrap_or_default());
            }
            None => {}
        }
    }
}
