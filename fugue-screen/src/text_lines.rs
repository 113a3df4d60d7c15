//! The pane's text as numbered logical lines: history first, then the primary screen. Lines of the alternate screen
//! have no numbers.

use crate::cell::FILLER;
use crate::geometry::{Position, TextLine};
use crate::interner::Interner;
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

    /// The length of the text of the lines `from..to`, as far as they are kept, each with a newline.
    pub(crate) fn text_bytes(&self, from: u64, to: u64) -> usize {
        let top = self.history.top_line();
        let shown = self.lines(from.max(top), to);
        self.history.text_bytes(from, to.min(top))
            + shown.iter().map(|line| line.text.len() + 1).sum::<usize>()
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
        let first = from.line.max(self.first_line());
        let end = to.line.min(self.end().line).saturating_add(1);
        let mut text = JoinedLines { out: String::new(), start: None, next: first, first, from, to };
        self.history.each_text(first, end.min(self.history.top_line()), |line| {
            text.begin_line();
            text.push(line);
            text.end_line();
        });
        if (first..end).contains(&self.history.top_line()) {
            text.begin_line();
            // The part of the top row's line that has left the screen.
            self.history.each_text(self.history.top_line(), end, |line| {
                text.push(line);
            });
        }
        self.push_shown(&mut text, end);
        text.out
    }

    /// Appends the rows of the primary screen up to the line `end`. The line of the top row is begun already.
    fn push_shown(&self, text: &mut JoinedLines, end: u64) {
        let grid = self.primary();
        let mut number = self.history.top_line();
        for row in grid.rows.iter() {
            if number >= end {
                break;
            }
            if number >= text.first {
                if number == text.next {
                    text.begin_line();
                }
                push_row(row, grid.cols, &self.interner, &mut text.out);
                if !row.wrapped {
                    text.end_line();
                }
            }
            number += u64::from(!row.wrapped);
        }
        text.end_line();
    }
}

/// Lines that are joined as they come, cut at two positions.
struct JoinedLines {
    out: String,
    /// Where the line that is being written begins, if one is.
    start: Option<usize>,
    /// The number of the next line.
    next: u64,
    /// The number of the first line.
    first: u64,
    from: Position,
    to: Position,
}

impl JoinedLines {
    /// Appends text of the history. It is UTF-8; the check is faster than one that can replace what is not.
    fn push(&mut self, text: &[u8]) {
        match str::from_utf8(text) {
            Ok(text) => self.out.push_str(text),
            Err(_) => self.out.push_str(&String::from_utf8_lossy(text)),
        }
    }

    fn begin_line(&mut self) {
        if self.next > self.first {
            self.out.push('\n');
        }
        self.start = Some(self.out.len());
        self.next += 1;
    }

    /// Removes trailing spaces, and what is not between the positions.
    fn end_line(&mut self) {
        let Some(begin) = self.start.take() else { return };
        let number = self.next - 1;
        let line = self.out[begin..].trim_end_matches(' ');
        let end = if number == self.to.line { line.floor_char_boundary(self.to.offset) } else { line.len() };
        let start = if number == self.from.line { line.floor_char_boundary(self.from.offset) } else { 0 };
        self.out.truncate(begin + end);
        self.out.drain(begin..begin + start.min(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Screen, Size};

    /// The same text, line by line.
    fn joined(terminal: &Terminal, from: Position, to: Position) -> String {
        let lines = terminal.lines(from.line, to.line + 1);
        let cut = |TextLine { number, text }: &TextLine| {
            let end = if *number == to.line { text.floor_char_boundary(to.offset) } else { text.len() };
            let start = if *number == from.line { text.floor_char_boundary(from.offset) } else { 0 };
            text.get(start..end).unwrap_or_default().to_owned()
        };
        lines.iter().map(cut).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn text_that_is_read_at_once_is_the_text_of_the_lines() {
        let numbered = |count: usize| (0..count).map(|n| format!("line {n}  \r\n")).collect::<String>();
        let long = "0123456789ä".repeat(9);
        let texts = [
            String::new(),
            "one".into(),
            "one\r\n\r\n  two \r\n".into(),
            numbered(3),
            numbered(700),
            // A line that continues from history on the screen, and one that fills the screen to its last column.
            format!("{}{long}{long}\r\nafter", numbered(30)),
            format!("{}{}", numbered(9), "x".repeat(50)),
            format!("{}\x1b[2J\x1b[3;4Hcleared", numbered(20)),
        ];
        for text in texts {
            let mut screen = Screen::new(Size { cols: 10, rows: 5 }, Limits { lines: 600, bytes: 1 << 20 });
            screen.feed(text.as_bytes());
            for is_cold in [false, true] {
                if is_cold {
                    screen.compact();
                }
                let (terminal, end) = (&screen.terminal, screen.end());
                for (from, to) in [(0, u64::MAX), (1, 2), (end.line / 3, end.line), (0, end.line / 2)] {
                    let read: usize = terminal.lines(from, to).iter().map(|line| line.text.len() + 1).sum();
                    assert_eq!(terminal.text_bytes(from, to), read, "{text:?} {from} {to}");
                }
                for (line, offset) in
                    [(0, 0), (0, 2), (2, 1), (end.line / 2, 3), (end.line, 0), (end.line, 2)]
                {
                    let from = Position { line, offset };
                    for to in [end, Position { line: line + 1, offset: 4 }, Position { line, offset: 1 }] {
                        let read = terminal.text_between(from, to);
                        assert_eq!(read, joined(terminal, from, to), "{text:?} {from:?} {to:?}");
                    }
                }
            }
        }
    }
}
