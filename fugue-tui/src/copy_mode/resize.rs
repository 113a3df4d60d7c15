//! Resizing copy mode: the text is laid out again, and the cursor stays at the same character.

use fugue_protocol::Size;

use super::CopyMode;
use super::rows::{CopyPosition, LinePosition};
use super::rows::{cells, lay_out};

impl CopyMode {
    /// Gives copy mode a new size.
    pub(crate) fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        let positions = [Some(self.position), self.selection.map(|(from, _)| from), self.mark];
        let places = positions.map(|position| position.map(|position| self.line_position_of(position)));
        let below = self.position.row.saturating_sub(self.top);
        self.rows = lay_out(&self.text, size);
        self.cells = self.rows.iter().map(cells).collect();
        self.size = size;
        self.renew_search();
        let [position, from, mark] = places.map(|place| place.map(|place| self.position_of(place)));
        self.mark = mark;
        self.selection = from.zip(self.selection).map(|(from, (_, shape))| (from, shape));
        let CopyPosition { row, col } = position.unwrap_or_default();
        self.top = row.saturating_sub(below).min(self.rows.len().saturating_sub(self.height()));
        self.go(row, col);
    }

    pub(super) fn line_position_of(&self, position: CopyPosition) -> LinePosition {
        let before = &self.rows[..position.row.min(self.rows.len())];
        let line = before.iter().filter(|row| !row.wrapped).count();
        let begin = before.iter().rposition(|row| !row.wrapped).map_or(0, |last| last + 1);
        let cells: usize = self.cells[begin..before.len()].iter().map(Vec::len).sum();
        (line, cells + position.col)
    }

    pub(super) fn position_of(&self, (line, mut col): LinePosition) -> CopyPosition {
        let mut ends = self.rows.iter().enumerate().filter(|(_, row)| !row.wrapped).map(|(at, _)| at);
        let last = self.rows.len().saturating_sub(1);
        let mut row = line.checked_sub(1).map_or(0, |before| ends.nth(before).map_or(last, |end| end + 1));
        while self.rows.get(row).is_some_and(|row| row.wrapped) && col >= self.cells[row].len() {
            col -= self.cells[row].len();
            row += 1;
        }
        CopyPosition { row: row.min(last), col }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::PaneId;

    #[test]
    fn a_new_width_keeps_the_cursor_on_the_same_letter() {
        let text = "first\nabcdefghijklmnopqrst\nlast";
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(10, 3), None);
        copy.go(2, 3);
        let letter = |copy: &CopyMode| copy.cells[copy.position.row][copy.position.col];
        assert_eq!(letter(&copy), Some('n'));
        for (cols, position) in [(7, (2, 6)), (20, (1, 13)), (40, (1, 13)), (3, (6, 1)), (10, (2, 3))] {
            copy.resize(Size::new(cols, 3));
            assert_eq!(
                (letter(&copy), (copy.position.row, copy.position.col)),
                (Some('n'), position),
                "{cols} columns"
            );
            assert!(copy.top <= copy.position.row && copy.position.row < copy.top + 3);
        }
    }

    #[test]
    fn a_position_below_all_text_moves_to_the_end() {
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), "one\ntwo", Size::new(10, 6), Some(2));
        copy.go(5, 0);
        copy.resize(Size::new(5, 2));
        assert_eq!(copy.position.row, 1);
        let mut empty = CopyMode::new(PaneId::from_bytes([0; 16]), "", Size::new(10, 6), None);
        empty.resize(Size::new(1, 1));
        assert_eq!((empty.position.row, empty.top), (0, 0));
    }
}
