//! The lines that are searched: the rows of one line of output are one text, so that a match may be wrapped.

use std::ops::Range;

use fugue_screen::RowView;
use regex::Regex;

use crate::copy_mode::rows::CopyPosition;

/// The most rows that are one text. A longer line is searched in parts, so that a step of a search stays short; a match
/// across the border of two parts is not found.
const MOST_ROWS: usize = 1_000;

/// A match: its first and its last position.
pub(in crate::copy_mode) type Match = (CopyPosition, CopyPosition);

/// The first row of each line, or part of a line.
#[derive(Debug, Default)]
pub(super) struct SearchLines {
    starts: Vec<usize>,
    rows: usize,
}

impl SearchLines {
    pub(super) fn of(rows: &[RowView]) -> Self {
        let (mut starts, mut first) = (Vec::new(), 0);
        for (at, row) in rows.iter().enumerate() {
            if at == first {
                starts.push(first);
            }
            if !row.wrapped || at + 1 - first == MOST_ROWS {
                first = at + 1;
            }
        }
        Self { starts, rows: rows.len() }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that a row belongs to.
    pub(super) fn of_row(&self, row: usize) -> usize {
        self.starts.partition_point(|start| *start <= row).saturating_sub(1)
    }

    /// The rows of a line.
    pub(super) fn rows(&self, line: usize) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.rows);
        start(line)..start(line + 1)
    }
}

/// The matches in these rows of a text with these cells; the rows are one line. Matches of nothing, such as those of
/// `x*`, are left out.
pub(super) fn matches_in(cells: &[Vec<Option<char>>], rows: Range<usize>, pattern: &Regex) -> Vec<Match> {
    let text: String = rows.clone().flat_map(|row| characters(cells, row)).map(|(_, c)| c).collect();
    let mut found = pattern.find_iter(&text).filter(|found| !found.is_empty()).peekable();
    if found.peek().is_none() {
        return Vec::new();
    }
    // Where each character begins in the text.
    let places: Vec<(usize, CopyPosition)> = rows
        .flat_map(|row| characters(cells, row))
        .scan(0, |end, (position, c)| {
            let start = *end;
            *end += c.len_utf8();
            Some((start, position))
        })
        .collect();
    let place = |byte: usize| places[places.partition_point(|(start, _)| *start <= byte) - 1].1;
    found.map(|found| (place(found.start()), place(found.end() - 1))).collect()
}

/// The characters of a row with their positions.
fn characters(cells: &[Vec<Option<char>>], row: usize) -> impl Iterator<Item = (CopyPosition, char)> {
    let cells = cells.get(row).map(Vec::as_slice).unwrap_or_default();
    cells.iter().enumerate().filter_map(move |(col, cell)| Some((CopyPosition { row, col }, (*cell)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_line_is_searched_in_parts() {
        let mut rows = vec![RowView { wrapped: true, ..RowView::default() }; MOST_ROWS + 5];
        rows.push(RowView::default());
        rows.push(RowView::default());
        let lines = SearchLines::of(&rows);
        assert_eq!(lines.count(), 3);
        assert_eq!(lines.rows(0), 0..MOST_ROWS);
        assert_eq!(lines.rows(1), MOST_ROWS..MOST_ROWS + 6);
        assert_eq!(lines.rows(2), MOST_ROWS + 6..MOST_ROWS + 7);
        let line_of =
            [0, MOST_ROWS - 1, MOST_ROWS, MOST_ROWS + 5, MOST_ROWS + 6].map(|row| lines.of_row(row));
        assert_eq!(line_of, [0, 0, 1, 1, 2]);
        assert_eq!(SearchLines::of(&[]).of_row(0), 0);
    }
}
