//! A row as viewers get it: spans of text, each of one style and one width.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::cell::{Cell, FILLER, TAIL, WIDE};
use crate::interner::Interner;
use crate::row::{Row, RowSize};
use crate::style::Style;

/// A piece of a row. Drawing it requires no knowledge of character widths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Its style.
    pub style: Style,
    /// The address it links to (OSC 8).
    pub link: Option<Arc<str>>,
    /// The columns of each character, 1 or 2; of the whole text if it is a cluster.
    pub width: u8,
    /// Whether the text is one character made of several code points.
    pub cluster: bool,
}

impl Span {
    /// The number of columns it takes.
    pub fn columns(&self) -> usize {
        let units = if self.cluster { 1 } else { self.text.chars().count() };
        units * usize::from(self.width)
    }
}

/// A row as spans, without trailing blanks unless its text continues.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RowView {
    /// From left to right, without gaps.
    pub spans: Vec<Span>,
    /// Whether its text continues in the next row.
    pub wrapped: bool,
}

impl RowView {
    /// The text without trailing blanks.
    pub fn text(&self) -> String {
        let mut text: String = self.spans.iter().map(|span| span.text.as_str()).collect();
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// Two cells are in one span if this is equal.
fn kind(cell: Cell) -> (u16, u16) {
    (cell.style(), cell.flags() & WIDE)
}

/// The cells that are shown. Trailing blanks are, only if the text continues in the next row.
fn shown(row: &Row) -> &[Cell] {
    match row.cells.split_last() {
        Some((last, before)) if row.wrapped && last.is(FILLER) => before,
        _ if row.wrapped => &row.cells,
        _ => &row.cells[..row.used()],
    }
}

/// The cells of a row of `cols` columns as they are drawn.
pub(crate) fn drawn_cells<'a>(row: &'a Row, cols: usize, interner: &Interner) -> Cow<'a, Row> {
    match row.size {
        _ if cols == 1 => Cow::Owned(crate::single_column::drawable(row, interner)),
        RowSize::Single => Cow::Borrowed(row),
        _ => Cow::Owned(row.doubled(cols)),
    }
}

/// A row of `cols` columns as it is drawn.
pub(crate) fn drawn_row(row: &Row, cols: usize, interner: &Interner) -> RowView {
    view(&drawn_cells(row, cols, interner), interner)
}

/// A row as it was written.
pub(crate) fn view(row: &Row, interner: &Interner) -> RowView {
    RowView { spans: spans(row).map(|cells| span(cells, interner)).collect(), wrapped: row.wrapped }
}

/// The cells of each span of a row. The second half of a wide character is in the span of the first.
pub(crate) fn spans(row: &Row) -> impl Iterator<Item = SpanCells<'_>> {
    let mut rest = shown(row);
    std::iter::from_fn(move || {
        let start = rest.iter().position(|cell| !cell.is(TAIL))?;
        let first = rest[start];
        let others = &rest[start + 1..];
        let continues = |cell: &Cell| {
            cell.is(TAIL) || !first.is_cluster() && !cell.is_cluster() && kind(*cell) == kind(first)
        };
        let end = start + 1 + others.iter().position(|cell| !continues(cell)).unwrap_or(others.len());
        let cells = &rest[start..end];
        rest = &rest[end..];
        Some(SpanCells { first, cells })
    })
}

/// The cells of a span.
pub(crate) struct SpanCells<'a> {
    /// The first one, which has the style and the width of all.
    pub first: Cell,
    cells: &'a [Cell],
}

impl SpanCells<'_> {
    /// The cells that have a character.
    pub(crate) fn characters(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter().copied().filter(|cell| !cell.is(TAIL))
    }
}

fn span(cells: SpanCells<'_>, interner: &Interner) -> Span {
    let style = interner.style(cells.first.style());
    let mut text = String::new();
    cells.characters().for_each(|cell| interner.push_text(cell, &mut text));
    Span {
        text,
        style: style.into(),
        link: interner.shared_link(style.link),
        width: if cells.first.is(WIDE) { 2 } else { 1 },
        cluster: cells.first.is_cluster(),
    }
}
