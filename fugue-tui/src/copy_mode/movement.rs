//! Movement by characters, words and paragraphs.

use super::CopyMode;
use super::position::CopyPosition;

/// Whether a cell belongs to a word. With `blanks`, everything between blanks does.
fn is_word(cell: Option<char>, blanks: bool) -> bool {
    cell.is_some_and(|c| if blanks { !c.is_whitespace() } else { c.is_alphanumeric() || c == '_' })
}

impl CopyMode {
    pub(super) fn cell(&self, position: CopyPosition) -> Option<char> {
        self.cells.get(position.row)?.get(position.col).copied().flatten()
    }

    /// The next position in reading order.
    pub(super) fn after(&self, position: CopyPosition) -> Option<CopyPosition> {
        if position.col < self.last_col(position.row) {
            return Some(CopyPosition { col: position.col + 1, ..position });
        }
        (position.row + 1 < self.rows.len()).then_some(CopyPosition { row: position.row + 1, col: 0 })
    }

    pub(super) fn before(&self, position: CopyPosition) -> Option<CopyPosition> {
        match position {
            CopyPosition { col: 1.., row } => {
                Some(CopyPosition { row, col: position.col.min(self.last_col(row) + 1) - 1 })
            }
            CopyPosition { row: 1.., .. } => {
                Some(CopyPosition { row: position.row - 1, col: self.last_col(position.row - 1) })
            }
            _ => None,
        }
    }

    pub(super) fn left(&mut self) {
        self.go(self.position.row, self.position.col.saturating_sub(1));
    }

    pub(super) fn right(&mut self) {
        let last = usize::from(self.size.cols).saturating_sub(1);
        self.go(self.position.row, (self.position.col + 1).min(last));
    }

    /// Walks step by step until a position fits.
    fn walk(
        &mut self,
        step: fn(&Self, CopyPosition) -> Option<CopyPosition>,
        is_it: impl Fn(&Self, CopyPosition, CopyPosition) -> bool,
    ) {
        let mut position = self.position;
        while let Some(next) = step(self, position) {
            let was = std::mem::replace(&mut position, next);
            if is_it(self, was, position) {
                break;
            }
        }
        self.go(position.row, position.col);
    }

    /// Whether the neighbor of a position in the same row belongs to a word.
    fn word_continues(
        &self,
        step: fn(&Self, CopyPosition) -> Option<CopyPosition>,
        position: CopyPosition,
        blanks: bool,
    ) -> bool {
        step(self, position)
            .is_some_and(|beside| beside.row == position.row && is_word(self.cell(beside), blanks))
    }

    pub(super) fn word_on(&mut self, blanks: bool) {
        self.walk(Self::after, |copy, was, is| {
            is_word(copy.cell(is), blanks) && (!is_word(copy.cell(was), blanks) || was.row != is.row)
        });
    }

    pub(super) fn word_end(&mut self, blanks: bool) {
        self.walk(Self::after, |copy, _, is| {
            is_word(copy.cell(is), blanks) && !copy.word_continues(Self::after, is, blanks)
        });
    }

    pub(super) fn word_back(&mut self, blanks: bool) {
        self.walk(Self::before, |copy, _, is| {
            is_word(copy.cell(is), blanks) && !copy.word_continues(Self::before, is, blanks)
        });
    }

    /// The first and last column of the word at a position.
    pub(super) fn word_at(&self, position: CopyPosition) -> (usize, usize) {
        let ends = |step: fn(&Self, CopyPosition) -> Option<CopyPosition>| {
            let mut end = position;
            while self.word_continues(step, end, false) {
                let Some(next) = step(self, end) else { break };
                end = next;
            }
            end.col
        };
        match is_word(self.cell(position), false) {
            true => (ends(Self::before), ends(Self::after)),
            false => (position.col, position.col),
        }
    }

    pub(super) fn first_word(&self, row: usize) -> usize {
        let cells = self.cells.get(row).map(Vec::as_slice).unwrap_or_default();
        cells.iter().position(|cell| cell.is_some_and(|c| c != ' ')).unwrap_or(0)
    }

    /// Goes to the next or the previous empty row.
    pub(super) fn paragraph(&mut self, on: bool) {
        let blank = |row: &usize| self.cells[*row].iter().all(|cell| cell.is_none_or(|c| c == ' '));
        let last = self.rows.len().saturating_sub(1);
        let row = match on {
            true => (self.position.row + 1..=last).find(blank).unwrap_or(last),
            false => (0..self.position.row).rev().find(blank).unwrap_or(0),
        };
        self.go(row, 0);
    }
}
