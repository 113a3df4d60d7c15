//! Copy mode: requesting a pane's history, opening it, and keeping it in its pane.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{GetOutput, Mode, PaneChoice};
use fugue_protocol::views::PaneOutput;
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::{HistoryUse, Purpose};
use crate::copy_mode::{self, CopyMode};
use crate::overlays::{Overlay, WHEEL_ROWS};

/// Lines of history that are requested: more than are kept by default.
const HISTORY_LINES: usize = 100_000;

impl App {
    pub(super) fn enter_copy_mode(&mut self, scrolled_back: bool) {
        let Some(id) = self.active_pane() else { return };
        if let Some(pane) = self.tree.find_pane(id) {
            let rows = usize::from(pane.place.rows);
            let history = if scrolled_back { HistoryUse::ScrolledBack(rows) } else { HistoryUse::CopyMode };
            self.request_history(id, history);
        }
    }

    pub(super) fn request_history_edit(&mut self) {
        // The file would be here, and the editor there.
        if let Some(host) = self.daemon.host_name() {
            let (host, key) = (host.to_owned(), self.key_for("copy-mode"));
            return self.say_error(format!(
                "Cannot open scrollback of a pane on {host} in an editor; {key} starts copy mode"
            ));
        }
        if let Some(pane) = self.active_pane() {
            self.request_history(pane, HistoryUse::Edit);
        }
    }

    /// Requests a pane's history; of a program on the alternate screen, what it shows.
    pub(super) fn request_history(&mut self, pane: PaneId, history: HistoryUse) {
        let purpose = Purpose::History(pane, history);
        if self.daemon.has_requested(purpose) {
            return;
        }
        let on_alternate = self.panes.mirrors.get(&pane).is_some_and(|mirror| mirror.alternate);
        let get = GetOutput {
            choice: PaneChoice::of(pane),
            lines: HISTORY_LINES,
            mode: Some(if on_alternate { Mode::Screen } else { Mode::History }),
            ansi: history != HistoryUse::Edit,
            commands: matches!(
                history,
                HistoryUse::CopyMode | HistoryUse::ScrolledBack(_) | HistoryUse::Wheel
            ),
            ..GetOutput::default()
        };
        self.daemon.request(purpose, &get);
    }

    pub(super) fn history_received(&mut self, pane: PaneId, history: HistoryUse, reply: &RawValue) {
        let Ok(output) = serde_json::from_str::<PaneOutput>(reply.get()) else { return };
        let Some(size) = self.tree.find_pane(pane).map(|pane| pane.place.size()) else { return };
        if history == HistoryUse::Edit {
            return self.edit(pane, &output.text);
        }
        let mirror = self.panes.mirrors.get(&pane);
        let used = mirror.map(|mirror| copy_mode::used_rows(&mirror.rows));
        let mut copy = CopyMode::new(pane, &output.text, size, used);
        copy.set_commands(output.from_line, &output.commands);
        copy.keys = self.config.copy_keys.clone();
        copy.colors = mirror.map(|mirror| mirror.colors.clone()).unwrap_or_default();
        if let Some(cursor) = mirror.map(|mirror| mirror.cursor) {
            copy.go_to(cursor.row, cursor.col);
        }
        match history {
            HistoryUse::ScrolledBack(rows) => drop(copy.scroll(-(rows as isize))),
            HistoryUse::Wheel => {
                copy.transient = true;
                copy.scroll(-(WHEEL_ROWS as isize));
            }
            HistoryUse::Drag | HistoryUse::Word(..) | HistoryUse::Line(..) => {
                return self.select_in(copy, history);
            }
            HistoryUse::CopyMode | HistoryUse::Edit => {}
        }
        self.open_overlay(Overlay::Copy(Box::new(copy)));
    }

    /// Lets copy modes follow the keyboard after it may have moved to another pane.
    pub(super) fn follow_keyboard(&mut self) {
        let (active, tree) = (self.active_pane(), &self.tree);
        let visible = |id: PaneId| tree.visible_panes().iter().any(|pane| pane.pane_id == id);
        let changed = self.overlays.follow_keyboard(active, visible);
        self.display.redraw_if(changed);
    }

    /// Closes the copy modes of panes that are gone.
    pub(super) fn close_lost_copy_views(&mut self) {
        let tree = &self.tree;
        if self.overlays.close_lost_copy_views(|pane| tree.find_pane(pane).is_some()) {
            self.say("Left copy mode: the pane was closed");
        }
    }
}
