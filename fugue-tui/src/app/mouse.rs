//! The mouse: a click goes to a pane or a window, a drag moves a border, the wheel looks back. A program that asked for
//! the mouse gets it.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{FocusPane, PaneChoice, ResizePane, SelectWindow, WindowChoice};
use fugue_protocol::views::PaneView;
use fugue_screen::Mouse;
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::daemon::Why;
use super::{App, room};
use crate::draw;

/// Rows that one step of the wheel moves.
pub(super) const WHEEL: usize = 3;

/// A border that is being moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drag {
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
        if event.row >= room(self.size).rows {
            return self.click_status(event);
        }
        let Some(window) = self.tree.window() else { return };
        let origin = draw::origin(window, &self.mirrors, room(self.size));
        let (row, col) = (event.row + origin.row, event.col + origin.col);
        let pressed = event.action == Action::Press(Button::Left);
        if let Some((pane, across)) = draw::border_at(window, row, col).filter(|_| pressed) {
            self.dragged = Some(Drag { pane, across });
            return;
        }
        if let Some(pane) = draw::pane_at(window, row, col).cloned() {
            self.mouse_in(
                &pane,
                MouseEvent { row: row - pane.place.row, col: col - pane.place.col, ..event },
            );
        }
    }

    fn mouse_in(&mut self, pane: &PaneView, event: MouseEvent) {
        let id = pane.pane_id;
        if self.layer.is_some() {
            return self.layer_wheel(event);
        }
        if matches!(event.action, Action::Press(Button::Left | Button::Middle | Button::Right))
            && !pane.active
        {
            self.daemon.ask(Why::Command, &FocusPane { choice: PaneChoice::of(id), direction: None });
        }
        let Some(mirror) = self.mirrors.get(&id) else { return };
        let (modes, alternate) = (mirror.modes, mirror.alternate);
        let wheel = match event.action {
            Action::Press(Button::WheelUp) => Some(Code::Up),
            Action::Press(Button::WheelDown) => Some(Code::Down),
            _ => None,
        };
        match wheel {
            _ if modes.mouse() != Mouse::Off => self.send_quietly(id, event.encode(&modes)),
            Some(code) if alternate && modes.alternate_scroll() => {
                self.send_quietly(id, Key::plain(code).encode(&modes).repeat(WHEEL));
            }
            Some(Code::Up) if !alternate => self.look_back(id, Some(WHEEL)),
            _ => {}
        }
    }

    fn send_quietly(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if !bytes.is_empty() && !self.options.read_only {
            self.send(pane, bytes);
        }
    }

    fn drag(&mut self, drag: Drag, event: MouseEvent) {
        if matches!(event.action, Action::Release(_)) {
            self.dragged = None;
        }
        let Some((window, pane)) = self.tree.window().zip(self.tree.find_pane(drag.pane)) else { return };
        let origin = draw::origin(window, &self.mirrors, room(self.size));
        let place = pane.place;
        let cells = match drag.across {
            true => (event.col + origin.col).saturating_sub(place.col),
            false => (event.row + origin.row).saturating_sub(place.row),
        };
        let mut resize = ResizePane { choice: PaneChoice::of(drag.pane), ..ResizePane::default() };
        *(if drag.across { &mut resize.cols } else { &mut resize.rows }) = Some(cells.max(1));
        if cells != (if drag.across { place.cols } else { place.rows }) {
            self.daemon.ask(Why::Quiet, &resize);
        }
    }

    fn click_status(&mut self, event: MouseEvent) {
        if event.action != Action::Press(Button::Left) {
            return;
        }
        let Some(session) = self.tree.session() else { return };
        let at = draw::window_at(session, event.col);
        let window = at.and_then(|index| session.windows.iter().find(|window| window.index == index));
        if let Some(id) = window.map(|window| window.window_id) {
            let choice = WindowChoice { session: None, window: Some(id.into()) };
            self.daemon.ask(Why::Command, &SelectWindow { choice });
        }
    }
}
