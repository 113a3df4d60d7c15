//! Selection: a stretch of text, whole lines, or a block.

use super::CopyMode;
use super::action_table::SelectionShape;
use super::rows::CopyPosition;
use super::rows::pieces;
use crate::overlays::outcome::OverlayOutcome;

impl CopyMode {
    /// Begins a selection, changes its shape, or ends one of the same shape.
    pub(super) fn select(&mut self, shape: SelectionShape) {
        self.excludes_end = self.keys.emacs;
        self.selection = match self.selection {
            Some((_, same)) if same == shape => None,
            Some((from, _)) => Some((from, shape)),
            None => Some((self.position, shape)),
        };
    }

    /// Begins a selection here; it is a block if the present one is.
    pub(super) fn begin_selection(&mut self) {
        let shape = match self.selection {
            Some((_, SelectionShape::Block)) => SelectionShape::Block,
            _ => SelectionShape::Text,
        };
        self.excludes_end = self.keys.emacs;
        self.selection = Some((self.position, shape));
    }

    /// Turns a stretch of text into a block and back; begins a selection if there is none.
    pub(super) fn toggle_block(&mut self) {
        self.excludes_end |= self.keys.emacs && self.selection.is_none();
        self.selection = match self.selection {
            Some((from, SelectionShape::Text)) => Some((from, SelectionShape::Block)),
            Some((from, _)) => Some((from, SelectionShape::Text)),
            None => Some((self.position, SelectionShape::Text)),
        };
    }

    pub(super) fn other_end(&mut self) {
        if let Some((from, shape)) = self.selection {
            self.selection = Some((self.position, shape));
            self.go(from.row, from.col);
        }
    }

    /// Selects from one position to another, where the cursor is then.
    pub(crate) fn select_from(&mut self, from: CopyPosition, to: CopyPosition) {
        self.selection = Some((from, SelectionShape::Text));
        self.excludes_end = false;
        self.go(to.row, to.col);
    }

    /// Selects the word at a position.
    pub(crate) fn select_word(&mut self, at: CopyPosition) {
        let (first, last) = self.word_at(at);
        self.select_from(first, last);
    }

    /// Selects the line at a position, with all its rows.
    pub(crate) fn select_line(&mut self, at: CopyPosition) {
        let (first, last) = self.whole_lines(at.row, at.row);
        self.select_from(
            CopyPosition { row: first, col: 0 },
            CopyPosition { row: last, col: self.last_col(last) },
        );
    }

    /// Whether a row continues in the next one.
    fn goes_on(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.wrapped)
    }

    /// The first and last row of the lines to which these rows belong.
    fn whole_lines(&self, first: usize, last: usize) -> (usize, usize) {
        let begin = (0..first).rev().take_while(|row| self.goes_on(*row)).last().unwrap_or(first);
        let end = (last..self.rows.len()).find(|row| !self.goes_on(*row)).unwrap_or(last);
        (begin, end)
    }

    /// Whether a row belongs to one of the lines of these rows. Near them, this looks at few rows, however long a line is.
    fn is_of_lines(&self, row: usize, first: usize, last: usize) -> bool {
        (first..=last).contains(&row)
            || row < first && (row..first).all(|row| self.goes_on(row))
            || row > last && (last..row).all(|row| self.goes_on(row))
    }

    /// The first and last selected column of a row.
    pub(super) fn selected(&self, row: usize) -> Option<(usize, usize)> {
        let (from, shape) = self.selection?;
        let (first, last) = (from.min(self.position), from.max(self.position));
        let is_within = match shape {
            SelectionShape::Lines => self.is_of_lines(row, first.row, last.row),
            SelectionShape::Block | SelectionShape::Text => (first.row..=last.row).contains(&row),
        };
        if !is_within {
            return None;
        }
        let end = usize::from(self.size.cols).saturating_sub(1);
        let (begin, end) = match shape {
            SelectionShape::Lines => (0, end),
            SelectionShape::Block => (from.col.min(self.position.col), from.col.max(self.position.col)),
            SelectionShape::Text => {
                let begin = if row == first.row { first.col } else { 0 };
                (begin, if row == last.row { last.col } else { end })
            }
        };
        // As in tmux, a block that goes to the left from where it began has both of its edges.
        let is_cut = self.excludes_end
            && match shape {
                SelectionShape::Lines => false,
                SelectionShape::Block => from.col < self.position.col,
                SelectionShape::Text => row == last.row,
            };
        let end = if is_cut { end.checked_sub(1)? } else { end };
        (begin <= end).then_some((begin, end))
    }

    /// Copies the selection.
    pub(crate) fn copy(&self) -> OverlayOutcome {
        self.selected_text().map_or(OverlayOutcome::Close, OverlayOutcome::Copy)
    }

    /// Appends the selection to what was copied before.
    pub(super) fn append(&self) -> OverlayOutcome {
        self.selected_text().map_or(OverlayOutcome::Close, OverlayOutcome::Append)
    }

    /// The selected text; rows of one line are joined.
    fn selected_text(&self) -> Option<String> {
        let (from, shape) = self.selection?;
        let (first, last) = (from.min(self.position).row, from.max(self.position).row);
        let (first, last) = match shape {
            SelectionShape::Lines => self.whole_lines(first, last),
            SelectionShape::Block | SelectionShape::Text => (first, last),
        };
        let mut text = String::new();
        for row in first..=last {
            let goes_on = self.goes_on(row) && shape != SelectionShape::Block;
            text.push_str(&self.selected_part(row));
            if !goes_on && (row < last || shape == SelectionShape::Lines) {
                text.push('\n');
            }
        }
        // With emacs keys, nothing may be selected.
        Some(text).filter(|text| !(self.excludes_end && text.is_empty()))
    }

    /// The selected text of a row, as tmux copies it: the blanks behind the text of a line are not part of it.
    fn selected_part(&self, row: usize) -> String {
        let Some(((begin, end), row)) = self.selected(row).zip(self.rows.get(row)) else {
            return String::new();
        };
        let mut pieces = pieces(row);
        if !row.wrapped {
            let last = pieces.iter().rposition(|(_, text, _)| !text.trim().is_empty());
            pieces.truncate(last.map_or(0, |last| last + 1));
        }
        let within = |(col, text, _)| (begin..=end).contains(&col).then_some(text);
        pieces.into_iter().filter_map(within).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::{PaneId, Size};

    fn copied(text: &str, keys: &str) -> String {
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(10, 4), None);
        for key in keys.split(' ') {
            if let OverlayOutcome::Copy(text) = copy.key(key.parse().unwrap()) {
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
        assert_eq!(copied(text, "g g l v v j l Enter"), "ne\nhr", "v twice is a block");
        assert_eq!(copied(text, "g g l C-v j l Enter"), "ne\nhr", "C-v is a block");
        assert_eq!(copied(text, "g g C-v l Space j l Enter"), "ne\nhr", "Space begins the block");
        assert_eq!(copied(text, "g g f t D"), "two");
        assert_eq!(copied(text, "g g 2 w Space o $ y"), "three four", "rows of a terminal, not lines");
        assert_eq!(copied(text, "g g V j o y"), "one two\nthree four five\n");
        assert_eq!(copied(text, "/ s i x Enter v e y"), "six");
    }

    #[test]
    fn with_emacs_keys_the_character_at_the_end_is_not_selected() {
        let copied = |keys: &str| {
            let text = "short one\nnext line\nlast";
            let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(20, 4), None);
            copy.keys.emacs = true;
            copy.go(0, 0);
            keys.split(' ').find_map(|key| match copy.key(key.parse().unwrap()) {
                OverlayOutcome::Copy(text) => Some(text),
                _ => None,
            })
        };
        assert_eq!(copied("C-Space C-f M-w").as_deref(), Some("s"));
        assert_eq!(copied("C-Space C-n M-w").as_deref(), Some("short one\n"));
        assert_eq!(copied("C-n C-f C-f C-Space C-b C-b M-w").as_deref(), Some("ne"), "backwards as well");
        assert_eq!(copied("C-Space M-w"), None, "nothing is selected");
        assert_eq!(copied("C-Space M-f M-w").as_deref(), Some("short"));
        assert_eq!(copied("C-Space C-e M-w").as_deref(), Some("short one"));
        assert_eq!(copied("C-n C-n C-e C-Space C-a M-w").as_deref(), Some("last"));
        assert_eq!(copied("C-Space R C-n C-f C-f M-w").as_deref(), Some("sh\nne"), "a block to the right");
    }

    #[test]
    fn a_wrapped_line_and_a_wrapped_word_are_selected_whole() {
        let text = "abcdefghijklmno pq\nlast";
        assert_eq!(copied(text, "g g V y"), "abcdefghijklmno pq\n");
        assert_eq!(copied(text, "g g j V y"), "abcdefghijklmno pq\n", "from its second row");
        assert_eq!(copied(text, "g g v e y"), "abcdefghijklmno");
        assert_eq!(copied(text, "g g v w y"), "abcdefghijklmno p");
        assert_eq!(copied(text, "g g w b v e y"), "abcdefghijklmno");
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(10, 4), None);
        "g g j V".split(' ').for_each(|key| drop(copy.key(key.parse().unwrap())));
        assert_eq!([0, 1, 2].map(|row| copy.selected(row)), [Some((0, 9)), Some((0, 9)), None]);
        copy.select_word(copy.position_at(1, 2));
        assert_eq!(copy.selected_text().as_deref(), Some("abcdefghijklmno"), "with a double click");
    }

    #[test]
    fn wide_characters_are_selected_one_by_one() {
        assert_eq!(copied("日本語", "g g l v Enter"), "本");
        assert_eq!(copied("日本語", "g g l v l Enter"), "本語");
        assert_eq!(copied("日本語", "g g l l v h Enter"), "本語");
    }

    #[test]
    fn selected_blanks_are_copied_unless_the_line_ends_there() {
        let text = "059 alpha\n060 beta\nend   \n";
        assert_eq!(copied(text, "g g v l l l y"), "059 ");
        assert_eq!(copied(text, "g g C-v j l l l y"), "059 \n060 ");
        assert_eq!(copied(text, "g g j j v l l l l y"), "end");
        assert_eq!(copied(text, "g g l l C-v j j l y"), "9 \n0 \nd");
    }

    #[test]
    fn a_selection_below_the_last_row_ends_in_the_last_row() {
        for (text, copied) in [("one", "one"), ("", "")] {
            let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(10, 4), None);
            copy.select_from(copy.position_at(9, 5), copy.position_at(0, 0));
            assert_eq!(copy.selected_text().as_deref(), Some(copied));
            copy.select_word(copy.position_at(9, 50));
            copy.select_line(copy.position_at(9, 50));
            copy.drag_to(200, 200);
            copy.key("y".parse().unwrap());
        }
    }

    /// Pseudo-random numbers, the same in every run.
    fn pseudo_random(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        }
    }

    #[test]
    fn no_sequence_of_keys_and_drags_breaks_copy_mode() {
        let texts =
            ["", "one", "漢字 (a [b] c)\n\n  x\ty\nlong long long line", "\n\n\n", "e\u{301}\n\x1b[31mred"];
        let keys: Vec<_> =
            super::super::key_tables::VI.iter().chain(super::super::key_tables::EMACS).collect();
        for seed in 0..400 {
            let mut throw = pseudo_random(seed);
            let size = Size::new(1 + throw(12) as u16, 1 + throw(5) as u16);
            let used = [None, Some(throw(8))][throw(2)];
            let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), texts[throw(texts.len())], size, used);
            for _ in 0..60 {
                let (row, col) = (throw(9) as u16, throw(20) as u16);
                match throw(9) {
                    0 => copy.drag_to(row, col),
                    1 => copy.begin_at(row, col),
                    2 => copy.select_word(copy.position_at(row, col)),
                    3 => copy.select_line(copy.position_at(row, col)),
                    4 => drop(copy.scroll(throw(9) as isize - 4)),
                    _ => drop(copy.key(keys[throw(keys.len())].0.parse().unwrap())),
                }
                drop(copy.copy());
                copy.cursor();
            }
        }
    }

    #[test]
    fn characters_of_several_code_points_are_copied_whole() {
        let text = "cafe\u{301} \u{1F469}\u{200D}\u{1F4BB} x";
        assert_eq!(copied(text, "g g V y"), format!("{text}\n"));
        assert_eq!(copied(text, "g g v 3 l y"), "cafe\u{301}");
    }

    #[test]
    fn a_search_wraps_around_in_both_directions() {
        let text = "aa b\naa c\naa d";
        assert_eq!(copied(text, "g g / a a Enter w v $ y"), "c");
        assert_eq!(copied(text, "g g / a a Enter n n w v $ y"), "b");
        assert_eq!(copied(text, "g g ? a a Enter w v $ y"), "d");
        assert_eq!(copied(text, "g g / a a Enter N N w v $ y"), "d");
    }
    #[test]
    fn a_search_finds_text_that_continues_in_the_next_row() {
        let text = "0123456 needle 890 needle\nx";
        assert_eq!(copied(text, "g g / n e e d l e Enter v e y"), "needle");
        assert_eq!(copied(text, "g g / n e e d l e Enter n v $ y"), "n");
        assert_eq!(copied(text, "G ? n e e d l e Enter n l l v $ y"), "e", "its second row begins");
        assert_eq!(copied("abcdefghij\nklm", "g g / j k Enter v l y"), "ab", "two lines are not one");
    }

    #[test]
    fn a_failed_search_is_reported_until_the_next_key() {
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), "one", Size::new(10, 4), None);
        let mut foot = |keys: &str| {
            keys.split(' ').for_each(|key| drop(copy.key(key.parse().unwrap())));
            copy.foot_text()
        };
        assert_eq!(foot("/ t w o Enter").as_deref(), Some("Not found: two"));
        assert_eq!(foot("l"), None);
        assert_eq!(foot("/ Enter"), None, "nothing was looked for");
    }
}
