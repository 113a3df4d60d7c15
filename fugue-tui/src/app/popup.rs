//! Popups: a popup is a window of its own that this client shows in a box over the panes. It closes when its program
//! ends, or when the client exits. A popup that `-E` does not close stays with its program's last screen.

use fugue_protocol::verbs::{ClosePane, CreateWindow, PaneChoice, Program, ResizeWindow, WindowChoice};
use fugue_protocol::views::{Life, PaneCreated, PaneView};
use fugue_protocol::{PaneId, Rect, WindowId};
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::MouseEvent;
use serde_json::value::RawValue;

use super::App;
use super::input::ctrl_c;
use super::state::daemon::Purpose;
use super::state::{Popup, PopupArgs, PopupBox, PopupContent};

impl App {
    pub(super) fn open_popup(&mut self, words: &[&str]) {
        let args = match PopupArgs::parse(words, self.window_area()) {
            Ok(args) => args,
            Err(why) => return self.say_error(why),
        };
        match args.content {
            PopupContent::Nothing => self.close_popup(),
            // Its program has ended already. Or it is no popup: whoever names another window would have this client
            // resize and close it in the person's name.
            PopupContent::Window { pane, window } if !self.tree.has_popup(window, pane) => {}
            // As in tmux, the popup that is open stays, and another one is not opened.
            PopupContent::Window { pane, .. } if self.overlays.popup.is_some() => {
                self.close_pane_quietly(pane);
            }
            PopupContent::Program { .. } if self.overlays.popup.is_some() => {}
            PopupContent::Window { pane, window } => self.show_popup(args.frame, pane, window),
            PopupContent::Program { program } => self.start_popup(args.frame, program),
        }
    }

    fn start_popup(&mut self, frame: PopupBox, program: Program) {
        let here = || self.tree.pane().and_then(|pane| pane.cwd.clone());
        let program = Program { cwd: program.cwd.clone().or_else(here), ..program };
        let (session, name) = (Some(self.tree.here.into()), "popup".parse().ok());
        let create = CreateWindow { session, name, popup: true, program, ..CreateWindow::default() };
        self.daemon.request(Purpose::Popup(frame), &create);
    }

    pub(super) fn popup_opened(&mut self, frame: PopupBox, reply: &RawValue) {
        let Ok(created) = serde_json::from_str::<PaneCreated>(reply.get()) else { return };
        self.show_popup(frame, created.pane_id, created.window_id);
    }

    fn show_popup(&mut self, frame: PopupBox, pane: PaneId, window: WindowId) {
        self.overlays.popup = Some(Popup { pane, window, frame, listed: false });
        self.tree.set_popup(Some(window));
        self.resize_popup();
        self.watch_visible();
        self.request_tree();
    }

    /// The popup's pane, and the place of its screen.
    pub(super) fn popup_inside(&self) -> Option<(PaneId, Rect)> {
        self.overlays.popup.map(|popup| (popup.pane, popup.frame.inside(self.window_area())))
    }

    /// Gives the popup's window the size of its box, and tells the daemon that this client shows it.
    pub(super) fn resize_popup(&mut self) {
        let Some(popup) = self.overlays.popup else { return };
        let size = popup.frame.inside(self.window_area()).size();
        let choice = WindowChoice { session: None, window: Some(popup.window.into()) };
        let shown_by = self.daemon.client();
        self.daemon.request(Purpose::ShowPopup, &ResizeWindow { choice, size, shown_by });
    }

    /// Removes a popup that the daemon does not have: its program has already ended, or the window is none.
    pub(super) fn popup_refused(&mut self) {
        if let Some(popup) = self.overlays.popup {
            self.popup_closed(popup.pane);
        }
    }

    pub(super) fn close_popup(&mut self) {
        if let Some(popup) = self.overlays.popup {
            self.daemon.request(Purpose::Command, &ClosePane { choice: PaneChoice::of(popup.pane) });
        }
    }

    fn close_pane_quietly(&mut self, pane: PaneId) {
        self.daemon.request(Purpose::Quiet, &ClosePane { choice: PaneChoice::of(pane) });
    }

    /// The title of the popup, and the key that closes it.
    pub(super) fn popup_texts(&self, pane: PaneId) -> (String, String) {
        if let Some(exit) = self.ended_popup().and_then(|pane| pane.exit) {
            return (exit.to_string(), "Esc close".into());
        }
        let title = self.tree.find_pane(pane).map(|pane| match &pane.name {
            Some(name) => name.to_string(),
            None => crate::agents::program_of(pane),
        });
        (title.unwrap_or_default(), format!("{} x close", self.config.keys.prefix()))
    }

    /// The popup's pane, if its program has ended and the popup stays.
    pub(super) fn ended_popup(&self) -> Option<&PaneView> {
        let pane = self.tree.find_pane(self.overlays.popup?.pane)?;
        (pane.state == Life::Exited).then_some(pane)
    }

    /// Closes a popup whose program has ended, if this is a key for that, as in tmux.
    pub(super) fn closes_ended_popup(&mut self, key: Key) -> bool {
        let closes = [Key::plain(Code::Escape), ctrl_c()].contains(&key) && self.ended_popup().is_some();
        if closes {
            self.close_popup();
        }
        closes
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
        let window = self.tree.popup_window();
        let listed = window.is_some();
        popup.listed |= listed;
        // The program that had this client show the popup may have named a pane that is not in it.
        let foreign = window.is_some_and(|window| window.panes.iter().all(|pane| pane.pane_id != popup.pane));
        if foreign || (popup.listed && !listed) {
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
