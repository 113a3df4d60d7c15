//! The pane's text as numbered logical lines: history first, then the primary screen. Lines of the alternate screen
//! have no numbers.

use crate::cell::FILLER;
use crate::interner::Interner;
use crate::position::{Position, TextLine};
use crate::row::Row;
use crate::terminal::Terminal;

/// Appends the text of a row: its whole width if it continues in the next one.
pub(crate) fn push_row(row: &Row, cols: usize, interner: &Interner, out: &mut String) {
    let used = if row.wrapped { cols } else { row.used() };
    push_columns(row, used, interner, out);
}

/// Appends the text of the first `upto` columns of a row.
pub(crate) fn push_columns(row: &Row, upto: usize, interner: &Interner, out: &mut String) {
    for col in 0..upto {
        let cell = row.cell(col);
        if !cell.is(crate::cell::TAIL | FILLER) {
            interner.push_text(cell, out);
        }
    }
}

/// The length of the text of the first `upto` columns. It is needed for every mark, so the text itself is not built.
fn column_bytes(row: &Row, upto: usize, interner: &Interner) -> usize {
    let cells = &row.cells[..upto.min(row.cells.len())];
    let written = cells.iter().filter(|cell| !cell.is(crate::cell::TAIL | FILLER));
    written.map(|&cell| interner.text_len(cell)).sum::<usize>() + upto - cells.len()
}

impl Terminal {
    pub(crate) fn first_line(&self) -> u64 {
        self.history.first()
    }

    /// The logical line that a row of the primary screen belongs to.
    pub(crate) fn line_of(&self, row: usize) -> u64 {
        let ends = self.primary().rows.range(0..row).filter(|row| !row.wrapped).count();
        self.history.top_line() + ends as u64
    }

    /// The position in the text of a column of a row of the primary screen.
    pub(crate) fn position(&self, row: usize, col: usize) -> Position {
        let grid = self.primary();
        let start = (0..row).rev().take_while(|&above| grid.rows[above].wrapped).last().unwrap_or(row);
        let in_history = if start == 0 { self.history.open_bytes() } else { 0 };
        let above: usize =
            (start..row).map(|row| column_bytes(&grid.rows[row], grid.cols, &self.interner)).sum();
        let offset = in_history + above + column_bytes(&grid.rows[row], col, &self.interner);
        Position { line: self.line_of(row), offset }
    }

    pub(crate) fn caret_position(&self) -> Position {
        let (row, col) = self.primary_caret();
        self.position(row, col)
    }

    /// The end of the text: in the last row that shows something, or at the caret if that is lower.
    pub(crate) fn end(&self) -> Position {
        let grid = self.primary();
        let (row, col) = self.primary_caret();
        match grid.rows.iter().rposition(|row| row.used() > 0) {
            Some(last) if last > row => self.position(last, grid.rows[last].used()),
            Some(last) if last == row => self.position(last, col.max(grid.rows[last].used())),
            _ => self.position(row, col),
        }
    }

    /// The lines `from..to`, as far as they exist.
    pub(crate) fn lines(&self, from: u64, to: u64) -> Vec<TextLine> {
        let (from, to) = (from.max(self.first_line()), to.min(self.end().line.saturating_add(1)));
        let kept = self.history.lines(from, to).map(|line| line.text);
        let mut lines: Vec<TextLine> =
            (from..).zip(kept).map(|(number, text)| TextLine { number, text }).collect();
        self.push_live(from, to, &mut lines);
        for line in &mut lines {
            line.text.truncate(line.text.trim_end_matches(' ').len());
        }
        lines
    }

    fn push_live(&self, from: u64, to: u64, lines: &mut Vec<TextLine>) {
        let grid = self.primary();
        let mut number = self.history.top_line();
        for row in grid.rows.iter() {
            if (from..to).contains(&number) {
                if lines.last().is_none_or(|line| line.number != number) {
                    lines.push(TextLine { number, text: String::new() });
                }
                if let Some(line) = lines.last_mut() {
                    push_row(row, grid.cols, &self.interner, &mut line.text);
                }
            }
            number += u64::from(!row.wrapped);
        }
    }

    /// The text between two positions, lines separated by `\n`.
    pub(crate) fn text_between(&self, from: Position, to: Position) -> String {
        let mut out = String::new();
        for TextLine { number, text } in self.lines(from.line, to.line.saturating_add(1)) {
            if number > from.line.max(self.first_line()) {
                out.push('\n');
            }
            let start = if number == from.line { text.floor_char_boundary(from.offset) } else { 0 };
            let end = if number == to.line { text.floor_char_boundary(to.offset) } else { text.len() };
            out.push_str(text.get(start..end).unwrap_or_default());
        }
        out
    }
}
