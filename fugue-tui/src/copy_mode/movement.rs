//! Movement by characters, words and paragraphs.

use super::CopyMode;
use super::rows::CopyPosition;
use crate::overlays::outcome::OverlayOutcome;

/// What a cell is for movements by words: a run of punctuation is a word of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellClass {
    Blank,
    Letter,
    Punctuation,
}

impl CellClass {
    /// The class of a cell. With `blanks`, words are everything between blanks.
    fn of(cell: Option<char>, blanks: bool) -> Self {
        match cell {
            None => Self::Blank,
            Some(c) if c.is_whitespace() => Self::Blank,
            Some(c) if blanks || c.is_alphanumeric() || c == '_' => Self::Letter,
            Some(_) => Self::Punctuation,
        }
    }
}

impl CopyMode {
    pub(super) fn cell(&self, position: CopyPosition) -> Option<char> {
        self.cells.get(position.row)?.get(position.col).copied().flatten()
    }

    /// Whether a cell is the second half of a wide character.
    fn is_second_half(&self, row: usize, col: usize) -> bool {
        matches!(self.cells.get(row).and_then(|cells| cells.get(col)), Some(None))
    }

    /// The first column of the character at a position.
    fn first_half(&self, CopyPosition { row, col }: CopyPosition) -> usize {
        (0..=col).rev().find(|col| !self.is_second_half(row, *col)).unwrap_or(col)
    }

    /// The next position in reading order; a wide character is one position.
    pub(super) fn after(&self, CopyPosition { row, col }: CopyPosition) -> Option<CopyPosition> {
        let next = (col + 1..=self.last_col(row)).find(|col| !self.is_second_half(row, *col));
        match next {
            Some(col) => Some(CopyPosition { row, col }),
            None => (row + 1 < self.rows.len()).then_some(CopyPosition { row: row + 1, col: 0 }),
        }
    }

    /// The previous position in reading order.
    pub(super) fn before(&self, CopyPosition { row, col }: CopyPosition) -> Option<CopyPosition> {
        let position = match col.min(self.last_col(row) + 1).checked_sub(1) {
            Some(col) => CopyPosition { row, col },
            None => CopyPosition { row: row.checked_sub(1)?, col: self.last_col(row - 1) },
        };
        Some(CopyPosition { col: self.first_half(position), ..position })
    }

    pub(super) fn left(&mut self) {
        let CopyPosition { row, col } = self.position;
        let before = CopyPosition { row, col: col.saturating_sub(1) };
        self.go(row, self.first_half(before));
    }

    pub(super) fn right(&mut self) {
        let CopyPosition { row, col } = self.position;
        let last = usize::from(self.size.cols).saturating_sub(1);
        let next = (col + 1..=last).find(|col| !self.is_second_half(row, *col));
        self.go(row, next.unwrap_or(self.first_half(self.position).min(last)));
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

    fn class(&self, position: CopyPosition, blanks: bool) -> CellClass {
        let col = self.first_half(position);
        CellClass::of(self.cell(CopyPosition { col, ..position }), blanks)
    }

    /// Whether neighboring rows belong to one line.
    fn is_one_line(&self, row: usize, other: usize) -> bool {
        row == other || self.rows.get(row.min(other)).is_some_and(|row| row.wrapped)
    }

    /// Whether the neighbor of a position in the same line belongs to the same word.
    fn word_continues(
        &self,
        step: fn(&Self, CopyPosition) -> Option<CopyPosition>,
        position: CopyPosition,
        blanks: bool,
    ) -> bool {
        let class = self.class(position, blanks);
        let beside = step(self, position).filter(|beside| self.is_one_line(position.row, beside.row));
        beside.is_some_and(|beside| self.class(beside, blanks) == class)
    }

    pub(super) fn word_on(&mut self, blanks: bool) {
        self.walk(Self::after, |copy, was, is| {
            let (before, class) = (copy.class(was, blanks), copy.class(is, blanks));
            class != CellClass::Blank && (before != class || !copy.is_one_line(was.row, is.row))
        });
    }

    pub(super) fn word_end(&mut self, blanks: bool) {
        self.walk(Self::after, |copy, _, is| {
            copy.class(is, blanks) != CellClass::Blank && !copy.word_continues(Self::after, is, blanks)
        });
    }

    /// Goes behind the end of the word here, or of the next one: with emacs keys, the cursor stands between characters.
    pub(super) fn word_end_behind(&mut self) {
        let at = self.position;
        if self.class(at, false) == CellClass::Blank || self.word_continues(Self::after, at, false) {
            self.word_end(false);
        }
        let CopyPosition { row, col } = self.position;
        let len = self.cells.get(row).map_or(0, Vec::len);
        self.go(row, (col + 1..len).find(|col| !self.is_second_half(row, *col)).unwrap_or(len));
    }

    /// Goes to the last character of the row; with emacs keys, behind it.
    pub(super) fn line_end(&mut self) {
        let CopyPosition { row, .. } = self.position;
        let len = self.cells.get(row).map_or(0, Vec::len);
        self.go(row, if self.keys.emacs { len } else { self.last_col(row) });
    }

    pub(super) fn word_back(&mut self, blanks: bool) {
        self.walk(Self::before, |copy, _, is| {
            copy.class(is, blanks) != CellClass::Blank && !copy.word_continues(Self::before, is, blanks)
        });
    }

    /// The first and last position of the word at a position; punctuation is a single character here.
    pub(super) fn word_at(&self, position: CopyPosition) -> (CopyPosition, CopyPosition) {
        let ends = |step: fn(&Self, CopyPosition) -> Option<CopyPosition>| {
            let mut end = position;
            while self.word_continues(step, end, false) {
                let Some(next) = step(self, end) else { break };
                end = next;
            }
            end
        };
        match self.class(position, false) {
            CellClass::Letter => (ends(Self::before), ends(Self::after)),
            CellClass::Blank | CellClass::Punctuation => (position, position),
        }
    }

    pub(super) fn first_word(&self, row: usize) -> usize {
        let cells = self.cells.get(row).map(Vec::as_slice).unwrap_or_default();
        cells.iter().position(|cell| cell.is_some_and(|c| c != ' ')).unwrap_or(0)
    }

    /// Scrolls; the cursor stays at its place in the pane, as in tmux, and a selection grows with it.
    pub(super) fn scroll_with_cursor(&mut self, by: isize) -> OverlayOutcome {
        let place = self.position.row.saturating_sub(self.top);
        let outcome = self.scroll(by);
        self.go(self.top + place, self.position.col);
        outcome
    }

    /// Scrolls by a page, or a part of one. Where there are not as many rows left, the cursor goes on as well.
    pub(super) fn scroll_page(&mut self, by: isize) -> OverlayOutcome {
        let below = self.rows.len().saturating_sub(self.top + self.height());
        let left = if by < 0 { self.top } else { below };
        let outcome = self.scroll_with_cursor(by);
        if left < by.unsigned_abs() {
            let row = self.position.row.saturating_add_signed(by);
            self.go(row.clamp(self.top, self.top + self.height() - 1), self.position.col);
        }
        outcome
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

#[cfg(test)]
mod tests {
    use fugue_protocol::{PaneId, Size};

    use super::*;

    /// The columns at which a movement stops, from the first one on.
    fn stops(text: &str, key: &str) -> Vec<usize> {
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(40, 4), None);
        copy.go(0, if key == "b" { text.len() - 1 } else { 0 });
        let step = |_| {
            let _ = copy.key(key.parse().expect("a key"));
            copy.position.col
        };
        (0..5).map(step).collect()
    }

    #[test]
    fn punctuation_is_a_word_of_its_own_as_in_tmux() {
        let text = "one two-three four.five (six)";
        assert_eq!(stops(text, "w"), [4, 7, 8, 14, 18]);
        assert_eq!(stops(text, "e"), [2, 6, 7, 12, 17]);
        assert_eq!(stops(text, "b"), [25, 24, 19, 18, 14]);
        assert_eq!(stops(text, "W"), [4, 14, 24, 28, 28]);
    }

    #[test]
    fn with_emacs_keys_the_cursor_goes_behind_the_end_of_words_and_lines() {
        let text = "a two-three  four\n日本語 x\n0123456789012345678901234567890123456789";
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(40, 4), None);
        copy.keys.emacs = true;
        copy.go(0, 0);
        let mut at = |keys: &str| {
            keys.split(' ').for_each(|key| drop(copy.key(key.parse().expect("a key"))));
            (copy.position.row, copy.position.col)
        };
        let stops = [(0, 1), (0, 5), (0, 6), (0, 11), (0, 17), (1, 6), (1, 8), (2, 40), (2, 40)];
        stops.into_iter().for_each(|stop| assert_eq!(at("M-f"), stop));
        assert_eq!([at("M-< C-e"), at("C-n C-e"), at("C-n C-e")], [(0, 17), (1, 8), (2, 40)]);
    }

    #[test]
    fn the_cursor_stays_at_its_place_in_the_pane_when_a_key_scrolls() {
        let text = (0..60).map(|row| format!("row{row}")).collect::<Vec<_>>().join("\n");
        let scrolled = |keys: &str| {
            let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), &text, Size::new(20, 13), None);
            keys.split(' ').for_each(|key| drop(copy.key(key.parse().expect("a key"))));
            (copy.top, copy.position.row)
        };
        assert_eq!(scrolled("k k k C-u"), (41, 50));
        assert_eq!(scrolled("k k k C-u C-d"), (47, 56));
        assert_eq!(scrolled("k k k C-u C-d C-d"), (47, 59), "to the last row");
        assert_eq!(scrolled("g g j j C-u"), (0, 0), "to the first row");
        assert_eq!(scrolled("H C-b"), (34, 34));
        assert_eq!(scrolled("M C-y C-y"), (45, 51));
        assert_eq!(scrolled("M C-y C-e C-e"), (47, 53), "at the end, it stays");
    }

    #[test]
    fn a_wide_character_is_one_step_and_part_of_a_word() {
        let text = "日本語 abc";
        assert_eq!(stops(text, "l"), [2, 4, 6, 7, 8]);
        assert_eq!(stops(text, "e"), [4, 9, 9, 9, 9]);
        assert_eq!(stops(text, "b"), [7, 0, 0, 0, 0]);
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(40, 4), None);
        for (from, to) in [(4, 2), (3, 2), (2, 0), (1, 0), (7, 6), (6, 4)] {
            copy.go(0, from);
            copy.left();
            assert_eq!(copy.position.col, to, "from {from}");
        }
    }
}
