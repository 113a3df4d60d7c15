//! Boxes over the panes: their frame, and the one with the first keys for a person who sees fugue for the first time.

use fugue_protocol::{Rect, Size};
use unicode_width::UnicodeWidthStr;

use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// Draws a frame with a title.
pub(crate) fn frame(canvas: &mut Canvas, place: Rect, title: &str) {
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

/// Draws the keys and what they do, in the lower right corner of the room.
pub(crate) fn welcome(canvas: &mut Canvas, room: Size, keys: &[(String, &str)]) {
    let key_cols = keys.iter().map(|(key, _)| key.width()).max().unwrap_or(0) as u16;
    let cols = keys.iter().map(|(_, does)| does.width()).max().unwrap_or(0) as u16 + key_cols + 7;
    let rows = keys.len() as u16 + 2;
    if room.cols < cols + 2 || room.rows < rows + 2 {
        return;
    }
    let place = Rect { col: room.cols - cols - 1, row: room.rows - rows, cols, rows };
    canvas.fill(place, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    frame(canvas, place, "Welcome to fugue");
    for (row, (key, does)) in (place.row + 1..).zip(keys) {
        let (begin, end) = (place.col + 2, place.col + cols - 1);
        canvas.text(row, begin, end, key, canvas.style(ThemePart::ActiveBorder));
        canvas.text(row, begin + key_cols + 2, end, does, canvas.style(ThemePart::Panel));
    }
}
