//! Mouse buttons that are down: a click that may become a selection, and a border that is being dragged.

use std::time::{Duration, Instant};

use fugue_protocol::PaneId;

/// Clicks that follow each other within this time are a double or a triple click.
const CLICK_INTERVAL: Duration = Duration::from_millis(400);

/// The time after which a view scrolls on while a selection is held at its edge, as in tmux.
const SCROLL_INTERVAL: Duration = Duration::from_millis(50);

/// A left button that went down in a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MousePress {
    pub(crate) pane: PaneId,
    pub(crate) row: u16,
    pub(crate) col: u16,
    at: Instant,
    clicks: u8,
    /// The button is still down.
    held: bool,
    /// The cell to which it was dragged.
    pub(crate) dragged_to: Option<(u16, u16)>,
}

/// A border that is being moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BorderDrag {
    /// The pane to the left of the border, or above it.
    pub(crate) pane: PaneId,
    /// The border is vertical and moves sideways.
    pub(crate) sideways: bool,
}

/// The state of the mouse.
#[derive(Debug, Default)]
pub(crate) struct MouseState {
    pub(crate) pressed: Option<MousePress>,
    pub(crate) border: Option<BorderDrag>,
    /// The row and column of the last event.
    pub(crate) at: (u16, u16),
    /// By how many rows the view scrolls on, and when, while a selection is held at its edge.
    edge: Option<(isize, Instant)>,
}

impl MouseState {
    /// Records that the button went down, and returns whether that is a single, double or triple click.
    pub(crate) fn press(&mut self, pane: PaneId, row: u16, col: u16, now: Instant) -> u8 {
        let same = |last: &MousePress| (last.pane, last.row, last.col) == (pane, row, col);
        let last = self.pressed.filter(|last| same(last) && now - last.at < CLICK_INTERVAL);
        let clicks = last.map_or(1, |last| last.clicks % 3 + 1);
        self.pressed = Some(MousePress { pane, row, col, at: now, clicks, held: true, dragged_to: None });
        clicks
    }

    /// Records that the button was dragged to a cell of its pane.
    pub(crate) fn drag_to(&mut self, row: u16, col: u16) {
        if let Some(press) = &mut self.pressed {
            press.dragged_to = Some((row, col));
        }
    }

    /// Records that the button was released.
    pub(crate) fn release(&mut self) {
        self.edge = None;
        if let Some(press) = &mut self.pressed {
            press.held = false;
        }
    }

    /// Records by how many rows the view scrolls while the selection is held at one of its edges; none elsewhere.
    pub(crate) fn hold_at_edge(&mut self, rows: Option<isize>, now: Instant) {
        self.edge = rows.map(|rows| (rows, now + SCROLL_INTERVAL));
    }

    /// When the view scrolls next.
    pub(crate) fn scroll_due(&self) -> Option<Instant> {
        self.edge.map(|(_, due)| due)
    }

    /// The rows by which the view scrolls now.
    pub(crate) fn take_scroll(&mut self, now: Instant) -> Option<isize> {
        self.edge.take_if(|(_, due)| *due <= now).map(|(rows, _)| rows)
    }

    /// The button that is down, if it is.
    pub(crate) fn held(&self) -> Option<MousePress> {
        self.pressed.filter(|press| press.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_clicks_in_one_cell_count_as_double_or_triple() {
        let (mut mouse, pane, start) = (MouseState::default(), PaneId::from_bytes([1; 16]), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let clicks = [0, 100, 200, 300].map(|millis| mouse.press(pane, 2, 3, at(millis)));
        assert_eq!(clicks, [1, 2, 3, 1], "the fourth starts again");
        assert_eq!(mouse.press(pane, 2, 4, at(310)), 1, "another cell");
        assert_eq!(mouse.press(pane, 2, 4, at(310) + CLICK_INTERVAL), 1, "too late");
        assert!(mouse.held().is_some());
        mouse.release();
        assert_eq!(mouse.held(), None);
    }
}
