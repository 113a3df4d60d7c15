//! The whole tree as text: a line for each session, below it a line for each window.
//!
//! ```text
//! work* #tag           the session that a person's commands act on, and a tag
//!   0 bash* 80x24: a 40x24 | (b* 39x12 / c† 39x11)
//! ```
//! `*` is current or active, `Z` zoomed, `†` exited, `?` lost; `|` separates left and right, `/` upper and lower.

use fugue_core::World;
use fugue_core::layout::{Axis, LayoutNode};
use fugue_core::world::{PaneLife, Session, Window};
use fugue_protocol::PaneId;

use super::Story;

impl Story {
    /// Asserts the tree.
    #[track_caller]
    pub(crate) fn assert_tree(&self, expected: &str) {
        assert_eq!(self.draw(), tidy(expected));
    }

    fn draw(&self) -> String {
        let sessions = self.world().sessions.values();
        sessions.map(|session| self.draw_session(self.world(), session)).collect()
    }

    fn draw_session(&self, world: &World, session: &Session) -> String {
        let star = if world.recent.last() == Some(&session.id) { "*" } else { "" };
        let tags: String = session.tags.iter().map(|tag| format!(" #{tag}")).collect();
        let windows = session.windows.iter().map(|id| &world.windows[id]).enumerate();
        let windows: String = windows
            .map(|(at, window)| {
                let index = session.slots.at(at);
                let star = if session.current == window.id { "*" } else { "" };
                let layout = self.draw_node(window, window.layout.root(), true);
                format!("{index} {}{star} {}: {layout}\n", window.name, window.size)
            })
            .collect();
        format!("{}{star}{tags}\n{windows}", session.name)
    }

    fn draw_node(&self, window: &Window, node: &LayoutNode<PaneId>, whole: bool) -> String {
        let split = match node {
            LayoutNode::Pane(pane) => return self.draw_pane(window, *pane),
            LayoutNode::Split(split) => split,
        };
        let between = if split.axis == Axis::Row { " | " } else { " / " };
        let parts: Vec<_> =
            split.children.iter().map(|child| self.draw_node(window, &child.node, false)).collect();
        let parts = parts.join(between);
        if whole { parts } else { format!("({parts})") }
    }

    fn draw_pane(&self, window: &Window, pane: PaneId) -> String {
        let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
        let life = match self.world().panes[&pane].life {
            PaneLife::Running(_) => "",
            PaneLife::Exited(..) => "†",
            PaneLife::Lost => "?",
        };
        let (active, zoomed) = (mark(window.active == pane, "*"), mark(window.zoomed == Some(pane), "Z"));
        let size = self.world().place_of(pane).size();
        format!("{}{life}{active}{zoomed} {size}", self.aliases.pane_name(pane))
    }
}

fn tidy(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}
