//! The part of a window that is visible. A terminal smaller than the window shows the part with the cursor.

use std::collections::BTreeMap;

use fugue_protocol::views::WindowView;
use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::Mirror;

/// The window's cell at the upper left corner of the terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ViewOrigin {
    pub(crate) row: u16,
    pub(crate) col: u16,
}

impl ViewOrigin {
    /// The terminal's cell for a window's cell, if it is visible.
    pub(crate) fn onto(self, row: u16, col: u16, room: Size) -> Option<(u16, u16)> {
        let (row, col) = (row.checked_sub(self.row)?, col.checked_sub(self.col)?);
        (row < room.rows && col < room.cols).then_some((row, col))
    }
}

/// The part of a window to show: its beginning, unless the cursor is beyond that.
pub(crate) fn origin(window: &WindowView, mirrors: &BTreeMap<PaneId, Mirror>, room: Size) -> ViewOrigin {
    let active = window.panes.iter().find(|pane| pane.active);
    let Some((pane, mirror)) = active.and_then(|pane| Some((pane, mirrors.get(&pane.pane_id)?))) else {
        return ViewOrigin::default();
    };
    origin_around(window, pane.place.row + mirror.cursor.row, pane.place.col + mirror.cursor.col, room)
}

/// The part of a window that shows a cell.
pub(crate) fn origin_around(window: &WindowView, row: u16, col: u16, room: Size) -> ViewOrigin {
    let far = |cursor: u16, room: u16, whole: u16| match whole > room && cursor >= room {
        true => (cursor + 1 - room).min(whole - room),
        false => 0,
    };
    ViewOrigin {
        row: far(row, room.rows, window.dimensions.rows),
        col: far(col, room.cols, window.dimensions.cols),
    }
}

/// The visible part of a pane: its place on the terminal, and the pane's cell at its upper left corner.
pub(crate) fn visible_part(place: Rect, origin: ViewOrigin, room: Size) -> Option<(Rect, ViewOrigin)> {
    let skip =
        ViewOrigin { row: origin.row.saturating_sub(place.row), col: origin.col.saturating_sub(place.col) };
    let (row, col) = (place.row.saturating_sub(origin.row), place.col.saturating_sub(origin.col));
    let rows = place.rows.saturating_sub(skip.row).min(room.rows.saturating_sub(row));
    let cols = place.cols.saturating_sub(skip.col).min(room.cols.saturating_sub(col));
    (rows > 0 && cols > 0).then_some((Rect { col, row, cols, rows }, skip))
}
