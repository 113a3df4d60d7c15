//! A row as viewers get it: spans of text, each of one style and one width.

use serde::Serialize;

use crate::cell::{Cell, CellContent, FILLER, TAIL, WIDE};
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
    pub link: Option<String>,
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

/// A row of `cols` columns as it is drawn.
pub(crate) fn drawn_row(row: &Row, cols: usize, interner: &Interner) -> RowView {
    match row.size {
        _ if cols == 1 => view(&crate::single_column::drawable(row, interner), interner),
        RowSize::Single => view(row, interner),
        _ => view(&row.doubled(cols), interner),
    }
}

/// A row as it was written.
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
