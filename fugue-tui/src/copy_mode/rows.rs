//! The rows of copy mode: a text laid out at a width, the pieces and cells of a row, and positions in the text.

use fugue_protocol::Size;
use fugue_screen::{Limits, RowView, Screen};

/// Lays out a text at a size.
pub(super) fn lay_out(text: &str, size: Size) -> Vec<RowView> {
    /// As much as a daemon sends.
    const LIMITS: Limits = Limits { lines: 1_000_000, bytes: 256 << 20 };
    let mut screen = Screen::new(fugue_screen::Size { cols: size.cols, rows: size.rows }, LIMITS);
    screen.feed(text.replace('\n', "\r\n").as_bytes());
    let lines = screen.wrapped_lines(screen.first_line(), screen.end().line + 1, size.cols);
    lines.into_iter().map(|(_, row)| row).collect()
}

pub(super) fn is_blank(row: &RowView) -> bool {
    row.spans.iter().all(|span| span.text.trim().is_empty())
}

/// The number of rows of a screen up to the last one that is not blank.
pub(crate) fn used_rows(rows: &[RowView]) -> usize {
    rows.iter().rposition(|row| !is_blank(row)).map_or(0, |at| at + 1)
}

/// The pieces of a row: their column, text and width. A cluster is one piece.
pub(super) fn pieces(row: &RowView) -> Vec<(usize, &str, usize)> {
    let (mut pieces, mut col) = (Vec::new(), 0);
    for span in &row.spans {
        let width = usize::from(span.width);
        let lengths: Vec<_> = if span.cluster {
            vec![span.text.len()]
        } else {
            span.text.chars().map(char::len_utf8).collect()
        };
        let mut rest = span.text.as_str();
        for length in lengths {
            let (piece, after) = rest.split_at(length);
            pieces.push((col, piece, width));
            (rest, col) = (after, col + width);
        }
    }
    pieces
}

/// The characters of a row by column; the first character of a cluster stands for it.
pub(super) fn cells(row: &RowView) -> Vec<Option<char>> {
    let cell = |(_, text, width): (usize, &str, usize)| {
        std::iter::once(text.chars().next()).chain(std::iter::repeat_n(None, width.saturating_sub(1)))
    };
    pieces(row).into_iter().flat_map(cell).collect()
}

/// A position in the text: the row from its top, and the column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CopyPosition {
    pub(crate) row: usize,
    pub(crate) col: usize,
}

/// A line of the program's output, and the cells before a position in it.
pub(super) type LinePosition = (usize, usize);
