//! Selecting with the mouse: a drag within a pane, a double click for a word, a triple click for a line. What was
//! selected is copied when the button is let go.

use std::time::{Duration, Instant};

use fugue_protocol::{PaneId, Rect};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use super::daemon::Then;
use super::mouse::WHEEL;
use crate::copy_mode::CopyMode;
use crate::draw::ViewOrigin;
use crate::overlays::{Outcome, Overlay};

/// Clicks that follow within this belong together.
const TOGETHER: Duration = Duration::from_millis(400);

/// A word that was clicked is seen so long.
pub(super) const SEEN: Duration = Duration::from_millis(300);

/// A button that is held down in a pane.
#[derive(Debug, Clone, Copy)]
pub(super) struct MousePress {
    pane: PaneId,
    row: u16,
    col: u16,
    at: Instant,
    clicks: u8,
    /// It is still down.
    held: bool,
    /// It was moved to here.
    moved: Option<(u16, u16)>,
}

impl App {
    /// A button goes down in a pane.
    pub(super) fn press(&mut self, pane: PaneId, row: u16, col: u16) {
        let now = self.typed_at;
        let again = self
            .pressed
            .filter(|last| (last.pane, last.row, last.col) == (pane, row, col) && now - last.at < TOGETHER);
        let clicks = again.map_or(1, |last| last.clicks % 3 + 1);
        self.pressed = Some(MousePress { pane, row, col, at: now, clicks, held: true, moved: None });
        match clicks {
            2 => self.look_back(pane, Then::Word(row, col)),
            3 => self.look_back(pane, Then::Line(row, col)),
            _ => {}
        }
    }

    /// Takes an event that belongs to a selection under way, wherever it is.
    pub(super) fn selecting(&mut self, event: MouseEvent) -> bool {
        let Some(press) = self.pressed.filter(|press| press.held) else { return false };
        match event.action {
            Action::Move(Some(Button::Left)) => self.select_to(press, event),
            Action::Release(Button::Left) => self.let_go(press),
            _ => return false,
        }
        true
    }

    fn select_to(&mut self, press: MousePress, event: MouseEvent) {
        let Some((place, origin)) = self.placed(press.pane) else { return };
        let within = |at: u16, begin: u16, cells: u16| at.saturating_sub(begin).min(cells.saturating_sub(1));
        let col = within(event.col + origin.col, place.col, place.cols);
        let row = within(event.row + origin.row, place.row, place.rows);
        self.pressed = Some(MousePress { moved: Some((row, col)), ..press });
        self.dirty = true;
        match &mut self.layer {
            Some(Overlay::Copy(copy)) if copy.pane == press.pane => {
                // At the edges the past goes on.
                let beyond = event.row + origin.row < place.row || (place.row > 0 && row == 0);
                if beyond {
                    copy.scroll(-1);
                } else if row + 1 == place.rows {
                    copy.scroll(1);
                }
                copy.drag_to(row, col);
            }
            _ => self.look_back(press.pane, Then::Drag),
        }
    }

    /// A pane's place, and the cell of the place's window at the terminal's upper left corner.
    fn placed(&self, pane: PaneId) -> Option<(Rect, ViewOrigin)> {
        match self.popup_inside().filter(|(popup, _)| *popup == pane) {
            Some((_, inside)) => Some((inside, ViewOrigin::default())),
            None => Some((self.tree.find_pane(pane)?.place, self.origin())),
        }
    }

    fn let_go(&mut self, press: MousePress) {
        self.pressed = Some(MousePress { held: false, ..press });
        if press.moved.is_some()
            && let Some(Overlay::Copy(copy)) = &self.layer
            && copy.pane == press.pane
        {
            let outcome = copy.copy();
            self.outcome(outcome);
        }
    }

    /// The past is there: selects in it what was pressed meanwhile.
    pub(super) fn select_in(&mut self, mut copy: CopyMode, then: Then) {
        copy.fleeting = true;
        match then {
            Then::Word(row, col) => copy.select_word(copy.spot_at(row, col)),
            Then::Line(row, col) => copy.select_line(copy.spot_at(row, col)),
            _ => {
                let Some(press) = self.pressed else { return };
                let (row, col) = press.moved.unwrap_or((press.row, press.col));
                copy.select_from(copy.spot_at(press.row, press.col), copy.spot_at(row, col));
            }
        }
        let done = matches!(then, Then::Word(..) | Then::Line(..));
        let let_go = self.pressed.is_none_or(|press| !press.held);
        let copied = if done || let_go { copy.copy() } else { Outcome::Stay };
        self.cover(Overlay::Copy(Box::new(copy)));
        if let Outcome::Copy(text) = copied {
            self.keep(text);
            self.layer_until = Some(Instant::now() + SEEN);
        }
        self.dirty = true;
    }

    /// The mouse over a pane whose past is shown.
    pub(super) fn mouse_in_past(&mut self, pane: PaneId, event: MouseEvent) {
        let Some(Overlay::Copy(copy)) = &mut self.layer else { return };
        match event.action {
            Action::Press(Button::WheelUp) => {
                let outcome = copy.scroll(-(WHEEL as isize));
                self.outcome(outcome);
            }
            Action::Press(Button::WheelDown) => {
                let outcome = copy.scroll(WHEEL as isize);
                self.outcome(outcome);
            }
            Action::Press(Button::Left) => {
                self.layer_until = None;
                copy.begin_at(event.row, event.col);
                self.dirty = true;
                self.press(pane, event.row, event.col);
            }
            _ => {}
        }
    }
}
