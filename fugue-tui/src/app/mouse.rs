//! The mouse: a click goes to a pane or a window, a drag moves a border or selects, the wheel looks back. A program
//! that asked for the mouse gets it.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{FocusPane, PaneChoice, ResizePane, SelectWindow, WindowChoice};
use fugue_protocol::views::PaneView;
use fugue_screen::Mouse;
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use super::daemon::Purpose;
use crate::draw;
use crate::overlays::Overlay;

/// DirtyRows that one step of the wheel moves.
pub(super) const WHEEL: usize = 3;

/// A border that is being moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct BorderDrag {
    /// The pane before it.
    pane: PaneId,
    /// It moves to the sides, not up and down.
    across: bool,
}

impl App {
    pub(super) fn mouse(&mut self, event: MouseEvent) {
        if let Some(drag) = self.dragged {
            return self.drag(drag, event);
        }
        if self.selecting(event) {
            return;
        }
        let room = self.room();
        if event.row >= room.rows {
            return self.status_mouse(event);
        }
        if self.layer.as_ref().is_some_and(Overlay::covers) {
            return self.layer_mouse(event);
        }
        if event.col >= room.cols {
            return self.sidebar_mouse(event);
        }
        if let Some(popup) = self.popup_inside() {
            return self.popup_mouse(popup, event);
        }
        let Some(window) = self.tree.window() else { return };
        let origin = self.origin();
        let (row, col) = (event.row + origin.row, event.col + origin.col);
        let pressed = event.action == Action::Press(Button::Left);
        if let Some((pane, across)) = draw::border_at(window, row, col).filter(|_| pressed) {
            self.dragged = Some(BorderDrag { pane, across });
            return;
        }
        if let Some(pane) = draw::pane_at(window, row, col).cloned() {
            let (row, col) = (row - pane.place.row, col - pane.place.col);
            self.mouse_in(&pane, MouseEvent { row, col, ..event });
        }
    }

    pub(super) fn mouse_in(&mut self, pane: &PaneView, event: MouseEvent) {
        let id = pane.pane_id;
        if let Some(Overlay::Copy(copy)) = &self.layer
            && copy.pane == id
        {
            return self.mouse_in_past(id, event);
        }
        if self.layer.as_ref().is_some_and(|layer| layer.past().is_none()) {
            return;
        }
        if matches!(event.action, Action::Press(Button::Left | Button::Middle | Button::Right))
            && !pane.active
            || self.pasts.has(id) && matches!(event.action, Action::Press(_))
        {
            self.daemon.ask(Purpose::Go, &FocusPane { choice: PaneChoice::of(id), ..FocusPane::default() });
        }
        if self.pasts.has(id) {
            return;
        }
        let Some(mirror) = self.mirrors.get(&id) else { return };
        let (modes, alternate) = (mirror.modes, mirror.alternate);
        match event.action {
            _ if modes.mouse() != Mouse::Off => self.send_quietly(id, event.encode(&modes)),
            Action::Press(Button::WheelUp) if alternate => self.scroll_program(id, Code::Up),
            Action::Press(Button::WheelDown) if alternate => self.scroll_program(id, Code::Down),
            Action::Press(Button::WheelUp) => self.look_back(id, super::daemon::Then::Wheel),
            Action::Press(Button::Left) => self.press(id, event.row, event.col),
            Action::Press(Button::Middle) => self.run_line("paste-buffer"),
            Action::Press(Button::Right) => self.run_line("pane-menu"),
            _ => {}
        }
    }

    /// A program on the alternate screen that knows no mouse gets arrows for the wheel.
    fn scroll_program(&mut self, pane: PaneId, code: Code) {
        let Some(modes) = self.mirrors.get(&pane).map(|mirror| mirror.modes) else { return };
        if modes.alternate_scroll() {
            self.send_quietly(pane, Key::plain(code).encode(&modes).repeat(WHEEL));
        }
    }

    fn send_quietly(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if !bytes.is_empty() && !self.options.read_only {
            self.send(pane, bytes);
        }
    }

    fn drag(&mut self, drag: BorderDrag, event: MouseEvent) {
        if matches!(event.action, Action::Release(_)) {
            self.dragged = None;
        }
        let Some(pane) = self.tree.find_pane(drag.pane) else { return };
        let origin = self.origin();
        let place = pane.place;
        let cells = match drag.across {
            true => (event.col + origin.col).saturating_sub(place.col),
            false => (event.row + origin.row).saturating_sub(place.row),
        };
        let mut resize = ResizePane { choice: PaneChoice::of(drag.pane), ..ResizePane::default() };
        *(if drag.across { &mut resize.cols } else { &mut resize.rows }) = Some(cells.max(1));
        if cells != (if drag.across { place.cols } else { place.rows }) {
            self.daemon.ask(Purpose::Quiet, &resize);
        }
    }

    fn status_mouse(&mut self, event: MouseEvent) {
        match event.action {
            Action::Press(Button::WheelUp) => self.run_line("select-window -w {previous-window}"),
            Action::Press(Button::WheelDown) => self.run_line("select-window -w {next-window}"),
            Action::Press(Button::Left) => self.click_status(event.col),
            Action::Press(Button::Right) => {
                self.click_status(event.col);
                self.run_line("window-menu");
            }
            _ => {}
        }
    }

    fn click_status(&mut self, col: u16) {
        match draw::clicked(&self.tree, col, self.size.cols, &self.minute) {
            Some(draw::StatusTarget::Session) => self.run_line("choose-tree"),
            Some(draw::StatusTarget::Window(id)) => {
                let choice = WindowChoice { session: None, window: Some(id.into()) };
                self.daemon.ask(Purpose::Go, &SelectWindow { choice });
            }
            None => {}
        }
    }
}
