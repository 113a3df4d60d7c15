//! Selecting with the mouse: a drag within a pane, a double click for a word, a triple click for a line. The selection
//! is copied when the button is released.

use std::time::{Duration, Instant};

use fugue_protocol::{PaneId, Rect};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::App;
use super::state::MousePress;
use super::state::daemon::HistoryUse;
use crate::copy_mode::CopyMode;
use crate::draw::ViewOrigin;
use crate::overlays::outcome::OverlayOutcome;
use crate::overlays::{Overlay, WHEEL_ROWS};

/// How long a selection made by a click stays visible.
const CLICK_SHOWN: Duration = Duration::from_millis(300);

impl App {
    /// Handles a button that goes down in a pane.
    pub(super) fn press(&mut self, pane: PaneId, row: u16, col: u16) {
        match self.mouse.press(pane, row, col, self.keyboard.typed_at) {
            2 => self.request_history(pane, HistoryUse::Word(row, col)),
            3 => self.request_history(pane, HistoryUse::Line(row, col)),
            _ => {}
        }
    }

    /// Handles an event that belongs to a selection under way, wherever it is. Returns whether it does.
    pub(super) fn continue_selection(&mut self, event: MouseEvent) -> bool {
        let Some(press) = self.mouse.held() else { return false };
        match event.action {
            Action::Move(Some(Button::Left)) => self.extend_selection(press, event),
            Action::Release(Button::Left) => self.release(press),
            _ => return false,
        }
        true
    }

    fn extend_selection(&mut self, press: MousePress, event: MouseEvent) {
        let Some((place, origin)) = self.pane_place(press.pane) else { return };
        let within = |at: u16, begin: u16, cells: u16| at.saturating_sub(begin).min(cells.saturating_sub(1));
        let col = within(event.col + origin.col, place.col, place.cols);
        let row = within(event.row + origin.row, place.row, place.rows);
        self.mouse.drag_to(row, col);
        self.display.redraw();
        if self.overlays.copy_in(press.pane).is_none() {
            return self.request_history(press.pane, HistoryUse::Drag);
        }
        // A line at the edge can be selected without scrolling: moving along it does not scroll.
        let (last_row, last_col) = press.dragged_to.unwrap_or((press.row, press.col));
        let is_inside = (place.row..place.row + place.rows).contains(&(event.row + origin.row));
        let moves_along = is_inside && last_row == row && last_col != col;
        let edge = self.edge(press.pane, row).filter(|_| !moves_along);
        self.drag_selection(edge, Instant::now());
    }

    /// The row by which the view scrolls if a selection reaches this row of a pane.
    fn edge(&self, pane: PaneId, row: u16) -> Option<isize> {
        let (place, _) = self.pane_place(pane)?;
        match row {
            0 => Some(-1),
            row if row + 1 == place.rows => Some(1),
            _ => None,
        }
    }

    /// Extends the selection to where the mouse is. At an edge, the view scrolls until its end is reached.
    fn drag_selection(&mut self, edge: Option<isize>, now: Instant) {
        let Some(MousePress { pane, dragged_to: Some((row, col)), .. }) = self.mouse.held() else { return };
        let Some(copy) = self.overlays.copy_in(pane) else { return };
        let before = copy.top();
        // Before the view scrolls, so that the selection begins where the button went down.
        copy.drag_to(row, col);
        copy.scroll(edge.unwrap_or_default());
        copy.drag_to(row, col);
        let has_scrolled = copy.top() != before;
        self.mouse.hold_at_edge(edge.filter(|_| has_scrolled), now);
        self.display.redraw();
    }

    /// Scrolls on while the selection is held at an edge.
    pub(super) fn scroll_selection(&mut self, now: Instant) {
        if let Some(rows) = self.mouse.take_scroll(now) {
            self.drag_selection(Some(rows), now);
        }
    }

    /// A pane's place, and the cell of the place's window at the terminal's upper left corner.
    fn pane_place(&self, pane: PaneId) -> Option<(Rect, ViewOrigin)> {
        match self.popup_inside().filter(|(popup, _)| *popup == pane) {
            Some((_, inside)) => Some((inside, ViewOrigin::default())),
            None => Some((self.tree.find_pane(pane)?.place, self.view_origin())),
        }
    }

    fn release(&mut self, press: MousePress) {
        self.mouse.release();
        if press.dragged_to.is_some()
            && let Some(copy) = self.overlays.copy_in(press.pane)
        {
            let outcome = copy.copy();
            self.finish_overlay(outcome);
        }
    }

    /// Selects what the mouse pointed at before the pane's history was there.
    pub(super) fn select_in(&mut self, mut copy: CopyMode, history: HistoryUse) {
        copy.transient = true;
        match history {
            HistoryUse::Word(row, col) => copy.select_word(copy.position_at(row, col)),
            HistoryUse::Line(row, col) => copy.select_line(copy.position_at(row, col)),
            _ => {
                let Some(press) = self.mouse.pressed else { return };
                let (row, col) = press.dragged_to.unwrap_or((press.row, press.col));
                copy.select_from(copy.position_at(press.row, press.col), copy.position_at(row, col));
            }
        }
        let clicked = matches!(history, HistoryUse::Word(..) | HistoryUse::Line(..));
        let copied = if clicked || self.mouse.held().is_none() { copy.copy() } else { OverlayOutcome::Stay };
        self.open_overlay(Overlay::Copy(Box::new(copy)));
        if let OverlayOutcome::Copy(text) = copied {
            self.store_copied(text);
            self.overlays.closes_at = Some(Instant::now() + CLICK_SHOWN);
        }
        // The edge may have been reached before the history was there.
        if let Some(MousePress { pane, row, dragged_to: Some((to, _)), .. }) = self.mouse.held() {
            let edge = self.edge(pane, to).filter(|_| to != row);
            self.drag_selection(edge, Instant::now());
        }
        self.display.redraw();
    }

    /// Handles the mouse over a pane whose copy mode has the keyboard.
    pub(super) fn copy_mode_mouse(&mut self, pane: PaneId, event: MouseEvent) {
        let Some(copy) = self.overlays.copy_in(pane) else { return };
        match event.action {
            Action::Press(Button::WheelUp) => {
                let outcome = copy.scroll(-(WHEEL_ROWS as isize));
                self.finish_overlay(outcome);
            }
            Action::Press(Button::WheelDown) => {
                let outcome = copy.scroll(WHEEL_ROWS as isize);
                self.finish_overlay(outcome);
            }
            Action::Press(Button::Left) => {
                copy.begin_at(event.row, event.col);
                self.overlays.closes_at = None;
                self.display.redraw();
                self.press(pane, event.row, event.col);
            }
            _ => {}
        }
    }
}
