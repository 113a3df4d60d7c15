//! A popup: a box over the panes with a program's screen in it.

use fugue_protocol::Rect;
use fugue_screen::Mirror;
use unicode_width::UnicodeWidthStr;

use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;

/// Draws the popup, and returns its cursor.
pub(crate) fn draw(
    canvas: &mut Canvas,
    place: Rect,
    (title, foot): &(String, String),
    mirror: Option<&Mirror>,
) -> Option<TerminalCursor> {
    super::frame(canvas, place, title);
    draw_foot(canvas, place, foot);
    let (row, col) = (place.row + 1, place.col + 1);
    let (rows, end) = (place.rows - 2, place.col + place.cols - 1);
    canvas.fill(Rect { col, row, cols: place.cols - 2, rows }, &CanvasCell::default());
    let mirror = mirror?;
    for (at, view) in (row..row + rows).zip(&mirror.rows) {
        canvas.view(at, (col, end), 0, view);
        super::panes::apply_program_colors(canvas, at, (col, end), mirror);
    }
    let cursor = mirror.cursor;
    let inside = cursor.visible && cursor.row < rows && col + cursor.col < end;
    inside.then_some(TerminalCursor {
        row: row + cursor.row,
        col: col + cursor.col,
        shape: cursor.shape,
        blinking: cursor.blinking,
        color: mirror.colors.cursor(),
    })
}

/// Draws how to close it on the lower border, where lists have their keys.
fn draw_foot(canvas: &mut Canvas, place: Rect, foot: &str) {
    let cols = foot.width() as u16 + 4;
    if !foot.is_empty() && cols < place.cols {
        let (row, end) = (place.row + place.rows - 1, place.col + place.cols);
        canvas.text(row, place.col + 2, end, &format!(" {foot} "), canvas.style(ThemePart::Faint));
    }
}
