//! Search, down and up, with every visible match highlighted.

use super::{CopyMode, CopyPosition, Search};

impl CopyMode {
    /// Searches for the word at the cursor.
    pub(super) fn search_word(&mut self, down: bool) {
        let (first, last) = self.word_at(self.position);
        let cells = self.cells.get(self.position.row).map(Vec::as_slice).unwrap_or_default();
        let word: String = cells.iter().skip(first).take(last + 1 - first).filter_map(|cell| *cell).collect();
        if !word.trim().is_empty() {
            self.search = Search { text: word, down };
            self.search_again(true);
        }
    }

    /// Goes to the next match in the direction of the search, or in the other, and wraps around.
    pub(super) fn search_again(&mut self, same: bool) {
        let (down, count, here) = (self.search.down == same, self.rows.len(), self.position);
        for by in 0..=count {
            let row = if down { (here.row + by) % count } else { (here.row + count - by) % count };
            let fits = |position: &CopyPosition| match (by, down) {
                (0, true) => position.col > here.col,
                (0, false) => position.col < here.col,
                _ => true,
            };
            let matches = self.matches(row).into_iter().map(|(first, _)| first);
            let mut matches = matches.filter(|first| first.row == row).filter(fits);
            if let Some(found) = if down { matches.next() } else { matches.next_back() } {
                return self.go(found.row, found.col);
            }
        }
        if !self.search.text.is_empty() {
            self.message = Some(format!(" Not found: {}", self.search.text));
        }
    }

    /// The matches that touch a row, as first and last position: a match may begin or end in another row of the same
    /// line. Lowercase letters match capitals as well.
    pub(super) fn matches(&self, row: usize) -> Vec<(CopyPosition, CopyPosition)> {
        let folds = !self.search.text.chars().any(char::is_uppercase);
        let fold = |c: char| if folds { c.to_lowercase().next().unwrap_or(c) } else { c };
        let wanted: Vec<char> = self.search.text.chars().map(fold).collect();
        if wanted.is_empty() || row >= self.rows.len() {
            return Vec::new();
        }
        let shown: Vec<(CopyPosition, char)> = self.line_around(row, wanted.len() - 1);
        let fits =
            |part: &&[(CopyPosition, char)]| part.iter().map(|(_, c)| fold(*c)).eq(wanted.iter().copied());
        let ends = |part: &[(CopyPosition, char)]| Some((part.first()?.0, part.last()?.0));
        let touches = |(first, last): &(CopyPosition, CopyPosition)| first.row <= row && row <= last.row;
        shown.windows(wanted.len()).filter(fits).filter_map(ends).filter(touches).collect()
    }

    /// The characters of a row, and up to `many` of the same line before and after it.
    fn line_around(&self, row: usize, many: usize) -> Vec<(CopyPosition, char)> {
        let goes_on = |row: &usize| self.rows.get(*row).is_some_and(|row| row.wrapped);
        let before = (0..row).rev().take_while(goes_on).flat_map(|row| self.characters(row).rev()).take(many);
        let mut around: Vec<(CopyPosition, char)> = before.collect();
        around.reverse();
        around.extend(self.characters(row));
        let after = (row..self.rows.len()).take_while(goes_on).flat_map(|row| self.characters(row + 1));
        around.extend(after.take(many));
        around
    }

    /// The characters of a row with their positions.
    fn characters(&self, row: usize) -> impl DoubleEndedIterator<Item = (CopyPosition, char)> {
        let cells = self.cells.get(row).map(Vec::as_slice).unwrap_or_default();
        cells.iter().enumerate().filter_map(move |(col, cell)| Some((CopyPosition { row, col }, (*cell)?)))
    }

    /// Whether a match begins at the cursor.
    pub(super) fn is_current(&self, first: CopyPosition) -> bool {
        self.position == first
    }
}
