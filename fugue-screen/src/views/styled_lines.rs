//! Styled lines of history and primary screen, whole or wrapped at a width, for scrollback.

use serde::Serialize;

use crate::cell::{Cell, FILLER};
use crate::interner::Interner;
use crate::modes::ModeFlag;
use crate::reflow::{unpack, wrap};
use crate::row::Row;
use crate::row_view::{RowView, Span, view};
use crate::screen::Screen;
use crate::terminal::Terminal;

/// A logical line with its styles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StyledLine {
    /// Its number.
    pub number: u64,
    /// Its text as spans, without trailing blanks.
    pub spans: Vec<Span>,
}

impl Screen {
    /// The logical lines `from..to` with their styles, as far as they are kept.
    pub fn styled_lines(&self, from: u64, to: u64) -> Vec<StyledLine> {
        let mut interner = self.terminal.interner.clone();
        let lines = self.terminal.cells_of_lines(from, to, &mut interner);
        let whole = |cells| view(&Row { cells, ..Row::default() }, &interner).spans;
        lines.into_iter().map(|(number, cells)| StyledLine { number, spans: whole(cells) }).collect()
    }

    /// The same from the last line back to the first, one at a time.
    pub(super) fn styled_lines_back(&self, from: u64, to: u64) -> impl Iterator<Item = StyledLine> {
        let mut interner = self.terminal.interner.clone();
        let lines = self.terminal.cells_of_lines(from, to, &mut interner);
        lines.into_iter().rev().map(move |(number, cells)| {
            let spans = view(&Row { cells, ..Row::default() }, &interner).spans;
            StyledLine { number, spans }
        })
    }

    /// The logical lines `from..to` as rows of `cols` columns, each with the number of its line.
    pub fn wrapped_lines(&self, from: u64, to: u64, cols: u16) -> Vec<(u64, RowView)> {
        let mut interner = self.terminal.interner.clone();
        let mut out = Vec::new();
        for (number, cells) in self.terminal.cells_of_lines(from, to, &mut interner) {
            let rows = wrap(cells, usize::from(cols.max(1)));
            out.extend(rows.iter().map(|row| (number, view(row, &interner))));
        }
        out
    }
}

impl Terminal {
    /// The lines as cells. `interner` must be a copy of the pane's own and takes what history needs in addition.
    fn cells_of_lines(&self, from: u64, to: u64, interner: &mut Interner) -> Vec<(u64, Vec<Cell>)> {
        let (from, to) = (from.max(self.first_line()), to.min(self.end().line.saturating_add(1)));
        let by_rules = self.has(ModeFlag::Graphemes);
        let kept = self.history.lines(from, to).map(|line| unpack(&line, interner, by_rules));
        let mut lines: Vec<(u64, Vec<Cell>)> = (from..).zip(kept).collect();
        let grid = self.primary();
        let mut number = self.history.top_line();
        for row in grid.rows.iter() {
            if (from..to).contains(&number) {
                if lines.last().is_none_or(|(last, _)| *last != number) {
                    lines.push((number, Vec::new()));
                }
                let end = if row.wrapped { grid.cols } else { row.used() };
                let cells = (0..end).map(|col| row.cell(col)).filter(|cell| !cell.is(FILLER));
                lines.last_mut().into_iter().for_each(|(_, line)| line.extend(cells.clone()));
            }
            number += u64::from(!row.wrapped);
        }
        lines
    }
}
