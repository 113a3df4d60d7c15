//! The panes of a window, each at its place in the layout.

use std::collections::BTreeMap;

use fugue_protocol::views::{Life, PaneView, WindowView};
use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::{Attrs, Color, Mirror};

use super::borders;
use super::view_origin::ViewOrigin;
use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// Draws a window.
pub(crate) fn draw(
    canvas: &mut Canvas,
    tree: &Tree,
    window: &WindowView,
    mirrors: &BTreeMap<PaneId, Mirror>,
    origin: ViewOrigin,
    room: Size,
) {
    fill_outside(canvas, window.dimensions, room);
    for pane in window.panes.iter().filter(|pane| !window.zoomed || pane.active) {
        if let Some(mirror) = mirrors.get(&pane.pane_id) {
            draw_screen(canvas, pane.place, mirror, origin, room);
        }
    }
    borders::draw(canvas, tree, window, origin, room);
}

/// Fills the room outside the window.
fn fill_outside(canvas: &mut Canvas, window: Size, room: Size) {
    let dot = CanvasCell::of('·', canvas.style(ThemePart::Outside));
    if window.cols < room.cols {
        let cols = room.cols - window.cols;
        canvas.fill(Rect { col: window.cols, row: 0, cols, rows: room.rows }, &dot);
    }
    if window.rows < room.rows {
        let rows = room.rows - window.rows;
        canvas.fill(Rect { col: 0, row: window.rows, cols: room.cols, rows }, &dot);
    }
    if window.cols < room.cols || window.rows < room.rows {
        say_whose_size(canvas, window, room);
    }
}

/// Draws the reason why the window is smaller than the terminal, in the room outside the window, if it fits there.
fn say_whose_size(canvas: &mut Canvas, window: Size, room: Size) {
    let text = format!(" {window}, sized by another terminal ");
    let (row, col) = if window.rows < room.rows { (window.rows, 0) } else { (0, window.cols) };
    if usize::from(room.cols.saturating_sub(col)) >= text.len() {
        canvas.text(row, col, room.cols, &text, canvas.style(ThemePart::Faint));
    }
}

fn draw_screen(canvas: &mut Canvas, place: Rect, mirror: &Mirror, origin: ViewOrigin, room: Size) {
    let skip = origin.col.saturating_sub(place.col);
    let col = place.col.saturating_sub(origin.col);
    let end = (place.col + place.cols).saturating_sub(origin.col).min(room.cols);
    for (number, view) in (place.row..place.row + place.rows).zip(&mirror.rows) {
        if let Some(row) = number.checked_sub(origin.row).filter(|row| *row < room.rows) {
            canvas.view(row, (col, end), skip, view);
            apply_program_colors(canvas, row, (col, end), mirror);
        }
    }
}

/// Applies what the program has set for its whole screen.
pub(super) fn apply_program_colors(canvas: &mut Canvas, row: u16, (begin, end): (u16, u16), mirror: &Mirror) {
    if mirror.modes.reverse_video() {
        reverse_colors(canvas, row, (begin, end));
    }
    if !mirror.colors.is_empty() {
        (begin..end).for_each(|col| canvas.restyle(row, col, |style| mirror.colors.apply_to(style)));
    }
}

/// Reverses the cells for which the program chose no colors of its own.
fn reverse_colors(canvas: &mut Canvas, row: u16, (begin, end): (u16, u16)) {
    for col in begin..end {
        canvas.restyle(row, col, |style| {
            if style.fg == Color::Default || style.bg == Color::Default {
                style.attrs.toggle(Attrs::REVERSE);
            }
        });
    }
}

/// The cursor of the active pane, if it is visible.
pub(crate) fn cursor(
    window: &WindowView,
    mirrors: &BTreeMap<PaneId, Mirror>,
    origin: ViewOrigin,
    room: Size,
) -> Option<TerminalCursor> {
    let pane = window.panes.iter().find(|pane| pane.active && pane.state != Life::Lost)?;
    let mirror = mirrors.get(&pane.pane_id)?;
    let cursor = mirror.cursor;
    let inside = cursor.visible && cursor.row < pane.place.rows && cursor.col < pane.place.cols;
    let (row, col) =
        origin.onto(pane.place.row + cursor.row, pane.place.col + cursor.col, room).filter(|_| inside)?;
    let color = mirror.colors.cursor();
    Some(TerminalCursor { row, col, shape: cursor.shape, blinking: cursor.blinking, color })
}

/// The pane at a window's cell.
pub(crate) fn pane_at(window: &WindowView, row: u16, col: u16) -> Option<&PaneView> {
    let within = |place: Rect| {
        (place.row..place.row + place.rows).contains(&row)
            && (place.col..place.col + place.cols).contains(&col)
    };
    window.panes.iter().filter(|pane| !window.zoomed || pane.active).find(|pane| within(pane.place))
}
