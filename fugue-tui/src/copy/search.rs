//! Searching, down and up, with every match in sight shown.

use super::{CopyMode, Spot};

/// What is looked for.
#[derive(Debug, Default)]
pub(super) struct Search {
    text: String,
    down: bool,
}

impl Search {
    pub(super) fn begin(&mut self, down: bool) {
        *self = Self { text: String::new(), down };
    }

    pub(super) fn look_for(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }
}

impl CopyMode {
    /// Looks for the word at which one is.
    pub(super) fn search_word(&mut self, down: bool) {
        let (first, last) = self.word_at(self.spot);
        let cells = self.cells.get(self.spot.row).map(Vec::as_slice).unwrap_or_default();
        let word: String = cells.iter().skip(first).take(last + 1 - first).filter_map(|cell| *cell).collect();
        if !word.trim().is_empty() {
            self.search = Search { text: word, down };
            self.search_again(true);
        }
    }

    /// The next match in the direction of the search, or in the other; round and round.
    pub(super) fn search_again(&mut self, same: bool) {
        let (down, count, here) = (self.search.down == same, self.rows.len(), self.spot);
        for by in 0..=count {
            let row = if down { (here.row + by) % count } else { (here.row + count - by) % count };
            let fits = |col: &usize| match (by, down) {
                (0, true) => *col > here.col,
                (0, false) => *col < here.col,
                _ => true,
            };
            let mut matches = self.matches(row).into_iter().map(|(col, _)| col).filter(fits);
            if let Some(col) = if down { matches.next() } else { matches.next_back() } {
                return self.go(row, col);
            }
        }
    }

    /// Where the text stands in a row: first and last column. Small letters fit capitals, too.
    pub(super) fn matches(&self, row: usize) -> Vec<(usize, usize)> {
        let folds = !self.search.text.chars().any(char::is_uppercase);
        let fold = |c: char| if folds { c.to_lowercase().next().unwrap_or(c) } else { c };
        let wanted: Vec<char> = self.search.text.chars().map(fold).collect();
        let Some(cells) = self.cells.get(row).filter(|_| !wanted.is_empty()) else { return Vec::new() };
        let shown: Vec<(usize, char)> =
            cells.iter().enumerate().filter_map(|(col, cell)| Some((col, fold((*cell)?)))).collect();
        let fits = |part: &&[(usize, char)]| part.iter().map(|(_, c)| c).eq(&wanted);
        let ends = |part: &[(usize, char)]| Some((part.first()?.0, part.last()?.0));
        shown.windows(wanted.len()).filter(fits).filter_map(ends).collect()
    }

    /// Whether a match begins where the person is.
    pub(super) fn is_current(&self, row: usize, col: usize) -> bool {
        self.spot == Spot { row, col }
    }
}
