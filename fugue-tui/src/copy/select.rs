//! Selecting: a stretch of text, whole lines, or a block.

use super::CopyMode;
use crate::layers::Outcome;

/// What a selection covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Lines,
    Block,
}

impl CopyMode {
    /// Begins a selection; of another shape, changes it; of the same, ends it.
    pub(super) fn select(&mut self, shape: Shape) {
        self.selection = match self.selection {
            Some((_, same)) if same == shape => None,
            Some((from, _)) => Some((from, shape)),
            None => Some((self.spot, shape)),
        };
    }

    /// The columns of a row that are selected, first and last.
    pub(super) fn selected(&self, row: usize) -> Option<(usize, usize)> {
        let (from, shape) = self.selection?;
        let (first, last) = (from.min(self.spot), from.max(self.spot));
        if !(first.row..=last.row).contains(&row) {
            return None;
        }
        let end = usize::from(self.size.cols).saturating_sub(1);
        Some(match shape {
            Shape::Lines => (0, end),
            Shape::Block => (from.col.min(self.spot.col), from.col.max(self.spot.col)),
            Shape::Text => {
                let begin = if row == first.row { first.col } else { 0 };
                (begin, if row == last.row { last.col } else { end })
            }
        })
    }

    /// Takes what is selected; rows that are one line are one line again.
    pub(super) fn copy(&self) -> Outcome {
        let Some((from, shape)) = self.selection else { return Outcome::Close };
        let (first, last) = (from.min(self.spot), from.max(self.spot));
        let mut text = String::new();
        for row in first.row..=last.row {
            let part = self.part(row);
            let goes_on = self.rows[row].wrapped && shape != Shape::Block;
            text.push_str(if goes_on { &part } else { part.trim_end() });
            if !goes_on && (row < last.row || shape == Shape::Lines) {
                text.push('\n');
            }
        }
        Outcome::Copy(text)
    }

    fn part(&self, row: usize) -> String {
        let Some((begin, end)) = self.selected(row) else { return String::new() };
        self.cells[row].iter().skip(begin).take(end + 1 - begin).filter_map(|cell| *cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::{PaneId, Size};

    fn copied(text: &str, keys: &str) -> String {
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(10, 4), false);
        for key in keys.split(' ') {
            if let Outcome::Copy(text) = copy.key(key.parse().unwrap()) {
                return text;
            }
        }
        panic!("nothing copied")
    }

    #[test]
    fn text_lines_and_blocks_are_copied() {
        let text = "one two\nthree four five\n漢字 six\nlast";
        assert_eq!(copied(text, "g g w v e y"), "two");
        assert_eq!(copied(text, "g g V y"), "one two\n");
        assert_eq!(copied(text, "g g j v j $ y"), "three four five", "a wrapped line is one line");
        assert_eq!(copied(text, "g g l C-v j l Enter"), "ne\nhr");
        assert_eq!(copied(text, "/ s i x Enter v e y"), "six");
    }

    #[test]
    fn a_search_goes_round_both_ways() {
        let text = "aa b\naa c\naa d";
        assert_eq!(copied(text, "g g / a a Enter w v $ y"), "c");
        assert_eq!(copied(text, "g g / a a Enter n n w v $ y"), "b");
        assert_eq!(copied(text, "g g ? a a Enter w v $ y"), "d");
        assert_eq!(copied(text, "g g / a a Enter N N w v $ y"), "d");
    }
}
