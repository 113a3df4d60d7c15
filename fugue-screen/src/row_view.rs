//! A row as a viewer wants it: pieces of text, each of one style and one width.

use serde::Serialize;

use crate::cell::{Cell, CellContent, FILLER, TAIL, WIDE};
use crate::interner::Interner;
use crate::row::Row;
use crate::row::RowSize;
use crate::style::Style;

/// A piece of a row. Nobody who draws it needs to know about the width of characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// What is shown.
    pub text: String,
    /// How.
    pub style: Style,
    /// Where it leads (OSC 8).
    pub link: Option<String>,
    /// Columns of each character of the text, 1 or 2; of the text as a whole if it is a cluster.
    pub width: u8,
    /// The text is one character made of several code points.
    pub cluster: bool,
}

impl Span {
    /// How many columns it takes.
    pub fn columns(&self) -> usize {
        let units = if self.cluster { 1 } else { self.text.chars().count() };
        units * usize::from(self.width)
    }
}

/// A row: its spans, without blanks at the end unless its text goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RowView {
    /// From left to right, without gaps.
    pub spans: Vec<Span>,
    /// Its text goes on in the next row.
    pub wrapped: bool,
}

impl RowView {
    /// Its text, right-trimmed.
    pub fn text(&self) -> String {
        let mut text: String = self.spans.iter().map(|span| span.text.as_str()).collect();
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// What must be the same for two cells to be in one span.
fn kind(cell: Cell) -> (u16, u16) {
    (cell.style(), cell.flags() & WIDE)
}

/// The cells that count: blanks at the end do only where the text goes on in the next row.
fn shown(row: &Row) -> &[Cell] {
    match row.cells.split_last() {
        Some((last, before)) if row.wrapped && last.is(FILLER) => before,
        _ if row.wrapped => &row.cells,
        _ => &row.cells[..row.used()],
    }
}

/// A row of `cols` columns as it is drawn.
pub(crate) fn drawn_row(row: &Row, cols: usize, interner: &Interner) -> RowView {
    match row.size {
        _ if cols == 1 => view(&crate::single_column::drawable(row, interner), interner),
        RowSize::Single => view(row, interner),
        _ => view(&row.doubled(cols), interner),
    }
}

/// A row in spans, as it was written.
pub(crate) fn view(row: &Row, interner: &Interner) -> RowView {
    let mut spans: Vec<Span> = Vec::new();
    let mut last = None;
    for &cell in shown(row).iter().filter(|cell| !cell.is(TAIL)) {
        let cluster = matches!(cell.content(), CellContent::Cluster(_));
        if cluster || last != Some(kind(cell)) {
            spans.push(begin(cell, cluster, interner));
        }
        if let Some(span) = spans.last_mut() {
            interner.push_text(cell, &mut span.text);
        }
        last = (!cluster).then(|| kind(cell));
    }
    RowView { spans, wrapped: row.wrapped }
}

fn begin(cell: Cell, cluster: bool, interner: &Interner) -> Span {
    let style = interner.style(cell.style());
    Span {
        text: String::new(),
        style: style.into(),
        link: interner.link(style.link).map(str::to_owned),
        width: if cell.is(WIDE) { 2 } else { 1 },
        cluster,
    }
}
