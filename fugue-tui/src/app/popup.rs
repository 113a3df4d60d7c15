//! Popups: a popup is a window of its own that this client shows in a box over the panes. It closes when its program
//! ends, or when the client exits.

use fugue_protocol::verbs::{ClosePane, CreateWindow, PaneChoice, Program, ResizeWindow, WindowChoice};
use fugue_protocol::views::{PaneCreated, PaneView};
use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::mouse::MouseEvent;
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::Purpose;
use super::state::{Popup, PopupArgs};

impl App {
    pub(super) fn open_popup(&mut self, words: &[&str]) {
        let PopupArgs { size, cwd, program } = match PopupArgs::parse(words, self.window_area()) {
            Ok(args) => args,
            Err(why) => return self.say(why),
        };
        let argv = program.iter().map(|word| (*word).to_owned()).collect();
        let here = || self.tree.pane().and_then(|pane| pane.cwd.clone());
        let cwd = cwd.map(str::to_owned).or_else(here);
        let program = Program { argv, cwd, ..Program::default() };
        let (session, name) = (Some(self.tree.here.into()), "popup".parse().ok());
        let create = CreateWindow { session, name, background: true, program, ..CreateWindow::default() };
        self.daemon.request(Purpose::Popup(size), &create);
    }

    pub(super) fn popup_opened(&mut self, size: Size, reply: &RawValue) {
        let Ok(created) = serde_json::from_str::<PaneCreated>(reply.get()) else { return };
        let (pane, window) = (created.pane_id, created.window_id);
        self.overlays.popup = Some(Popup { pane, window, size, listed: false });
        self.tree.set_popup(Some(window));
        self.resize_popup();
        self.watch_visible();
    }

    /// The popup's pane, and the place of its screen.
    pub(super) fn popup_inside(&self) -> Option<(PaneId, Rect)> {
        self.overlays.popup.map(|popup| (popup.pane, popup.inside(self.window_area())))
    }

    /// Gives the popup's window the size of its box.
    pub(super) fn resize_popup(&mut self) {
        let Some(popup) = self.overlays.popup else { return };
        let size = popup.inside(self.window_area()).size();
        let choice = WindowChoice { session: None, window: Some(popup.window.into()) };
        self.daemon.request(Purpose::Quiet, &ResizeWindow { choice, size });
    }

    pub(super) fn close_popup(&mut self) {
        if let Some(popup) = self.overlays.popup {
            self.daemon.request(Purpose::Command, &ClosePane { choice: PaneChoice::of(popup.pane) });
        }
    }

    /// Handles the end of a pane: if it was the popup's, the popup closes, even if the tree never listed it.
    pub(super) fn popup_closed(&mut self, pane: PaneId) {
        if self.overlays.popup.take_if(|popup| popup.pane == pane).is_some() {
            self.tree.set_popup(None);
            self.watch_visible();
            self.display.redraw();
        }
    }

    /// Closes a popup whose window is no longer in the tree.
    pub(super) fn close_lost_popup(&mut self) {
        let Some(popup) = &mut self.overlays.popup else { return };
        let listed = self.tree.find_window(popup.window).is_some();
        popup.listed |= listed;
        if popup.listed && !listed {
            self.overlays.popup = None;
            self.tree.set_popup(None);
        }
    }

    /// Handles the mouse over the popup; what is behind it does not get the mouse.
    pub(super) fn popup_mouse(&mut self, (pane, inside): (PaneId, Rect), event: MouseEvent) {
        let (row, col) = (event.row.wrapping_sub(inside.row), event.col.wrapping_sub(inside.col));
        let view = self.tree.find_pane(pane).filter(|_| row < inside.rows && col < inside.cols).cloned();
        if let Some(view) = view {
            self.pane_mouse(&PaneView { active: true, ..view }, MouseEvent { row, col, ..event });
        }
    }
}
