//! A popup: a box over the panes with a program's screen in it.

use fugue_protocol::Rect;
use fugue_screen::Mirror;

use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;

/// Draws the popup, and returns its cursor.
pub(crate) fn draw(
    canvas: &mut Canvas,
    place: Rect,
    title: &str,
    mirror: Option<&Mirror>,
) -> Option<TerminalCursor> {
    draw_frame(canvas, place, title);
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

fn draw_frame(canvas: &mut Canvas, place: Rect, title: &str) {
    let style = canvas.style(ThemePart::ActiveBorder);
    let (last_row, last_col) = (place.row + place.rows - 1, place.col + place.cols - 1);
    for (row, left, right) in [(place.row, '╭', '╮'), (last_row, '╰', '╯')] {
        canvas.fill(Rect { row, rows: 1, ..place }, &CanvasCell::of('─', style));
        canvas.fill(Rect { col: place.col, row, cols: 1, rows: 1 }, &CanvasCell::of(left, style));
        canvas.fill(Rect { col: last_col, row, cols: 1, rows: 1 }, &CanvasCell::of(right, style));
    }
    for col in [place.col, last_col] {
        canvas.fill(
            Rect { col, row: place.row + 1, cols: 1, rows: place.rows - 2 },
            &CanvasCell::of('│', style),
        );
    }
    let after =
        canvas.text(place.row, place.col + 2, last_col.saturating_sub(2), &format!(" {title}"), style);
    canvas.text(place.row, after, last_col, " ", style);
}
