//! The status line: the parts that are configured, or a message. By default the session and its windows are at the left,
//! counts and the time at the right.

mod content;
mod layout;
pub(crate) mod message;
mod style_marks;
mod tree_parts;
mod window_list;

use fugue_protocol::Rect;
use unicode_width::UnicodeWidthStr;

use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::Tree;

pub(crate) use content::{BarText, LineContent, PartContent, StatusTarget, StatusText};
pub(crate) use message::MessageKind;
pub(crate) use style_marks::styled;
pub(crate) use tree_parts::content_of as tree_part;

/// What the status line shows.
pub(crate) enum StatusLine {
    Parts,
    /// The rows of a message, which may be more than one.
    Message(Vec<String>, MessageKind),
}

/// Draws a line of parts into a row.
pub(crate) fn line(canvas: &mut Canvas, row: u16, tree: &Tree, line: &LineContent) {
    let (cols, style) = (canvas.size().cols, canvas.style(ThemePart::Bar));
    canvas.fill(Rect { col: 0, row, cols, rows: 1 }, &CanvasCell::blank(style));
    let Some(session) = tree.session() else { return };
    for item in layout::placed(line, tree, session, cols) {
        let mut col = item.col;
        for (text, style) in &item.pieces {
            col = canvas.text(row, col, cols, text, style.over(canvas));
        }
    }
}

/// What is at a column of a line.
pub(crate) fn status_target(tree: &Tree, line: &LineContent, col: u16, cols: u16) -> Option<StatusTarget> {
    let items = layout::placed(line, tree, tree.session()?, cols);
    let width = |item: &content::PlacedItem| item.pieces.iter().map(|(text, _)| text.width()).sum::<usize>();
    let inside = |item: &&content::PlacedItem| (item.col..item.col + width(item) as u16).contains(&col);
    items.iter().find(inside).and_then(|item| item.target)
}

#[cfg(test)]
mod tests;
