//! A popup: a box over the panes with a program's screen in it.

use fugue_protocol::Rect;
use fugue_screen::Mirror;

use crate::paint::{Canvas, CanvasCell, TerminalCursor};

/// Draws the popup, and returns its cursor.
pub(crate) fn draw(
    canvas: &mut Canvas,
    place: Rect,
    title: &str,
    mirror: Option<&Mirror>,
) -> Option<TerminalCursor> {
    super::frame(canvas, place, title);
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
