//! The frame of a box over the panes.

use fugue_protocol::Rect;

use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// Draws a frame with a title.
pub(crate) fn draw(canvas: &mut Canvas, place: Rect, title: &str) {
    let style = canvas.style(ThemePart::ActiveBorder);
    let (last_row, last_col) = (place.row + place.rows - 1, place.col + place.cols - 1);
    for (row, left, right) in [(place.row, '╭', '╮'), (last_row, '╰', '╯')] {
        canvas.fill(Rect { row, rows: 1, ..place }, &CanvasCell::of('─', style));
        canvas.fill(Rect { col: place.col, row, cols: 1, rows: 1 }, &CanvasCell::of(left, style));
        canvas.fill(Rect { col: last_col, row, cols: 1, rows: 1 }, &CanvasCell::of(right, style));
    }
    for col in [place.col, last_col] {
        let side = Rect { col, row: place.row + 1, cols: 1, rows: place.rows - 2 };
        canvas.fill(side, &CanvasCell::of('│', style));
    }
    if !title.is_empty() {
        let end = last_col.saturating_sub(2);
        let after = canvas.truncated_text(place.row, place.col + 2, end, &format!(" {title}"), style);
        canvas.text(place.row, after, last_col, " ", style);
    }
}
