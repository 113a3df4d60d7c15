//! Searching, down and up, with every match in sight shown.

use fugue_screen::keys::{Code, Key};

use super::{CopyMode, Spot};

/// What is looked for.
#[derive(Debug, Default)]
pub(super) struct Search {
    text: String,
    down: bool,
    typed: bool,
}

impl Search {
    pub(super) fn is_typed(&self) -> bool {
        self.typed
    }

    pub(super) fn begin(&mut self, down: bool) {
        *self = Self { text: String::new(), down, typed: true };
    }

    /// The line that asks for it.
    pub(super) fn line(&self) -> Option<String> {
        let mark = if self.down { '/' } else { '?' };
        self.typed.then(|| format!("{mark}{}", self.text))
    }
}

impl CopyMode {
    pub(super) fn type_search(&mut self, key: Key) {
        match (key.mods.ctrl, key.code) {
            (_, Code::Enter) => {
                self.search.typed = false;
                self.search_again(true);
            }
            (_, Code::Escape) | (true, Code::Char('c' | 'g')) => self.search = Search::default(),
            (_, Code::Backspace) => self.search.typed = self.search.text.pop().is_some(),
            (false, Code::Char(c)) => self.search.text.push(c),
            _ => {}
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
