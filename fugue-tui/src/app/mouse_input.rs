//! The mouse: a click goes to a pane or a window, a drag moves a border or selects, the wheel scrolls back. A program
//! that asked for the mouse gets it.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{FocusPane, PaneChoice, ResizePane, SelectWindow, WindowChoice};
use fugue_protocol::views::PaneView;
use fugue_screen::Mouse;
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use super::state::BorderDrag;
use super::state::daemon::{HistoryUse, Purpose};
use crate::draw;
use crate::overlays::Overlay;
use crate::overlays::WHEEL_ROWS;

impl App {
    pub(super) fn handle_mouse(&mut self, event: MouseEvent) {
        let col = event.col.min(self.display.size.cols.saturating_sub(1));
        let event = MouseEvent { row: self.display.drawn_row(event.row), col, ..event };
        self.mouse.at = (event.row, event.col);
        if let Some(border) = self.mouse.border {
            return self.drag_border(border, event);
        }
        if self.continue_selection(event) {
            return;
        }
        let area = self.window_area();
        if event.row >= area.rows {
            return self.status_line_mouse(event);
        }
        if self.overlays.current.as_ref().is_some_and(Overlay::takes_mouse) {
            return self.overlay_mouse(event);
        }
        if event.col >= area.cols {
            return self.sidebar_mouse(event);
        }
        if let Some(popup) = self.popup_inside() {
            return self.popup_mouse(popup, event);
        }
        self.window_mouse(event);
    }

    /// Handles the mouse over the window's panes and borders.
    fn window_mouse(&mut self, event: MouseEvent) {
        let Some(window) = self.tree.window() else { return };
        let origin = self.view_origin();
        let (row, col) = (event.row + origin.row, event.col + origin.col);
        let pressed = event.action == Action::Press(Button::Left);
        if let Some((pane, sideways)) = draw::border_at(window, row, col).filter(|_| pressed) {
            self.mouse.border = Some(BorderDrag { pane, sideways });
            return;
        }
        if let Some(pane) = draw::pane_at(window, row, col).cloned() {
            let (row, col) = (row - pane.place.row, col - pane.place.col);
            self.pane_mouse(&pane, MouseEvent { row, col, ..event });
        }
    }

    /// Handles the mouse over a pane; the event's cell is the pane's.
    pub(super) fn pane_mouse(&mut self, pane: &PaneView, event: MouseEvent) {
        let id = pane.pane_id;
        if self.overlays.copy_in(id).is_some() {
            return self.copy_mode_mouse(id, event);
        }
        if self.overlays.current.as_ref().is_some_and(|overlay| overlay.copy_pane().is_none()) {
            return;
        }
        let in_copy_mode = self.overlays.copy_views.has(id);
        if matches!(event.action, Action::Press(Button::Left | Button::Middle | Button::Right))
            && !pane.active
            || in_copy_mode && matches!(event.action, Action::Press(_))
        {
            let focus = FocusPane { choice: PaneChoice::of(id), ..FocusPane::default() };
            self.daemon.request(Purpose::Go, &focus);
        }
        if !in_copy_mode {
            self.program_mouse(id, event);
        }
    }

    /// Handles the mouse over a program's screen.
    fn program_mouse(&mut self, pane: PaneId, event: MouseEvent) {
        let Some(mirror) = self.panes.mirrors.get(&pane) else { return };
        let (modes, alternate) = (mirror.modes, mirror.alternate);
        match event.action {
            _ if modes.mouse() != Mouse::Off => self.send_if_allowed(pane, event.encode(&modes)),
            Action::Press(Button::WheelUp) if alternate => self.scroll_program(pane, Code::Up),
            Action::Press(Button::WheelDown) if alternate => self.scroll_program(pane, Code::Down),
            Action::Press(Button::WheelUp) => self.request_history(pane, HistoryUse::Wheel),
            Action::Press(Button::Left) => self.press(pane, event.row, event.col),
            // The pane that was clicked: the daemon has not moved the focus there yet.
            Action::Press(Button::Middle) => self.paste_newest_into(pane),
            Action::Press(Button::Right) => self.open_pane_menu(pane),
            _ => {}
        }
    }

    /// Opens the menu of the pane that was clicked.
    fn open_pane_menu(&mut self, pane: PaneId) {
        // The client focuses the pane first: the menu must name it before the daemon replies.
        self.tree.look_at(None, Some(pane));
        self.open_menu("pane-menu");
    }

    /// Opens a menu at the pointer.
    fn open_menu(&mut self, command: &str) {
        self.run_line(command);
        let (row, col) = self.mouse.at;
        if let Some(Overlay::List(list)) = &mut self.overlays.current {
            list.set_anchor(row, col);
        }
    }

    /// Sends arrow keys for the wheel to a program on the alternate screen that did not ask for the mouse.
    fn scroll_program(&mut self, pane: PaneId, code: Code) {
        let modes = self.panes.modes(pane);
        if modes.alternate_scroll() {
            self.send_if_allowed(pane, Key::plain(code).encode(&modes).repeat(WHEEL_ROWS));
        }
    }

    fn send_if_allowed(&mut self, pane: PaneId, bytes: Vec<u8>) {
        self.drop_prediction();
        if !bytes.is_empty() && !self.options.read_only {
            self.send(pane, bytes);
        }
    }

    fn drag_border(&mut self, border: BorderDrag, event: MouseEvent) {
        if matches!(event.action, Action::Release(_)) {
            self.mouse.border = None;
        }
        let Some(pane) = self.tree.find_pane(border.pane) else { return };
        let origin = self.view_origin();
        let place = pane.place;
        let cells = match border.sideways {
            true => (event.col + origin.col).saturating_sub(place.col),
            false => (event.row + origin.row).saturating_sub(place.row),
        };
        let mut resize = ResizePane { choice: PaneChoice::of(border.pane), ..ResizePane::default() };
        *(if border.sideways { &mut resize.cols } else { &mut resize.rows }) = Some(cells.max(1));
        if cells != (if border.sideways { place.cols } else { place.rows }) {
            self.daemon.request(Purpose::Quiet, &resize);
        }
    }

    fn status_line_mouse(&mut self, event: MouseEvent) {
        match event.action {
            Action::Press(Button::WheelUp) => self.run_line("select-window -w {previous-window}"),
            Action::Press(Button::WheelDown) => self.run_line("select-window -w {next-window}"),
            Action::Press(Button::Left) => self.click_status_line(event),
            Action::Press(Button::Right) => {
                self.click_status_line(event);
                self.open_menu("window-menu");
            }
            _ => {}
        }
    }

    fn click_status_line(&mut self, event: MouseEvent) {
        let line = usize::from(event.row.saturating_sub(self.window_area().rows));
        let (content, cols) = (self.status_content(), self.display.size.cols);
        let target =
            content.get(line).and_then(|line| draw::status_target(&self.tree, line, event.col, cols));
        match target {
            Some(draw::StatusTarget::Session) => self.run_line("choose-tree"),
            Some(draw::StatusTarget::Window(id)) => {
                // Seen at once: a menu is about this window.
                self.tree.look_at(Some(id), None);
                let choice = WindowChoice { session: None, window: Some(id.into()) };
                self.daemon.request(Purpose::Go, &SelectWindow { choice });
            }
            None => {}
        }
    }
}
