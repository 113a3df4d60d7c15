//! The first keys, in a box above the status line, for a person who sees fugue for the first time.

use fugue_protocol::{Rect, Size};
use unicode_width::UnicodeWidthStr;

use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// Draws the keys and what they do, in the lower right corner of the room.
pub(crate) fn draw(canvas: &mut Canvas, room: Size, keys: &[(String, &str)]) {
    let key_cols = keys.iter().map(|(key, _)| key.width()).max().unwrap_or(0) as u16;
    let cols = keys.iter().map(|(_, does)| does.width()).max().unwrap_or(0) as u16 + key_cols + 7;
    let rows = keys.len() as u16 + 2;
    if room.cols < cols + 2 || room.rows < rows + 2 {
        return;
    }
    let place = Rect { col: room.cols - cols - 1, row: room.rows - rows, cols, rows };
    canvas.fill(place, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    super::frame(canvas, place, "Welcome to fugue");
    for (row, (key, does)) in (place.row + 1..).zip(keys) {
        let (begin, end) = (place.col + 2, place.col + cols - 1);
        canvas.text(row, begin, end, key, canvas.style(ThemePart::ActiveBorder));
        canvas.text(row, begin + key_cols + 2, end, does, canvas.style(ThemePart::Panel));
    }
}
