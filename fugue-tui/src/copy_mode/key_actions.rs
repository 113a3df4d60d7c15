//! Keys in copy mode: counting repetitions, and running actions.

use fugue_screen::keys::{Code, Key};

use super::CopyMode;
use super::action_table::{Act, SelectionShape};
use super::rows::CopyPosition;
use crate::overlays::outcome::OverlayOutcome;

/// Beyond the last row.
const END: usize = usize::MAX / 2;

/// The highest repeat count: more rows are never kept.
const MOST: usize = 1_000_000;

impl CopyMode {
    pub(crate) fn key(&mut self, key: Key) -> OverlayOutcome {
        self.message = None;
        if self.is_asked() {
            return self.type_answer(key);
        }
        if self.is_seeking() {
            if matches!(self.keys.find(key), Some(Act::Cancel | Act::ClearSelection)) {
                self.stop_seeking();
                return OverlayOutcome::Stay;
            }
            while self.is_seeking() {
                self.search_step();
            }
        }
        if self.count_digit(key) {
            return OverlayOutcome::Stay;
        }
        let times = std::mem::take(&mut self.count).clamp(1, MOST);
        let Some(act) = self.keys.find(key) else { return OverlayOutcome::Stay };
        for _ in 0..times {
            let before = (self.position, self.top);
            let outcome = self.act(act);
            if !matches!(outcome, OverlayOutcome::Stay) {
                return outcome;
            }
            // Once nothing moves, further repetitions would not move either.
            if before == (self.position, self.top) {
                break;
            }
        }
        OverlayOutcome::Stay
    }

    /// Digits repeat the next key: plain digits with vi keys, digits with Meta with emacs keys.
    fn count_digit(&mut self, key: Key) -> bool {
        let plain = Key { mods: fugue_screen::keys::Mods::default(), ..key };
        let counts = if self.keys.emacs { key.mods.alt } else { key == plain };
        match key.code {
            Code::Char(c) if counts && c.is_ascii_digit() && (c != '0' || self.count > 0) => {
                let digit = c.to_digit(10).unwrap_or(0) as usize;
                self.count = (self.count * 10 + digit).min(MOST);
                true
            }
            _ => false,
        }
    }

    fn act(&mut self, act: Act) -> OverlayOutcome {
        let (CopyPosition { row, col }, height) = (self.position, self.height());
        let half = (height / 2).max(1) as isize;
        match act {
            Act::Cancel => return OverlayOutcome::Close,
            Act::ClearSelection => self.selection = None,
            Act::Left => self.left(),
            Act::Right => self.right(),
            Act::Up => self.go(row.saturating_sub(1), col),
            Act::Down => self.go(row + 1, col),
            Act::PageUp => return self.scroll_page(-(height as isize)),
            Act::PageDown => return self.scroll_page(height as isize),
            Act::HalfUp => return self.scroll_page(-half),
            Act::HalfDown => return self.scroll_page(half),
            Act::ScrollUp => return self.scroll_with_cursor(-1),
            Act::ScrollDown => return self.scroll_with_cursor(1),
            Act::LineStart => self.go(row, 0),
            Act::LineEnd => self.line_end(),
            Act::Indent => self.go(row, self.first_word(row)),
            Act::WordOn => self.word_on(false),
            Act::WordEnd if self.keys.emacs => self.word_end_behind(),
            Act::WordEnd => self.word_end(false),
            Act::WordBack => self.word_back(false),
            Act::SpaceOn => self.word_on(true),
            Act::SpaceEnd => self.word_end(true),
            Act::SpaceBack => self.word_back(true),
            Act::Top => self.go(0, 0),
            Act::Bottom => self.go(END, 0),
            Act::ScreenTop => self.go(self.top, col),
            Act::ScreenMiddle => self.go(self.top + height / 2, col),
            Act::ScreenBottom => self.go(self.top + height - 1, col),
            Act::ParagraphBack => self.paragraph(false),
            Act::ParagraphOn => self.paragraph(true),
            Act::PromptBack => self.go_to_prompt(false),
            Act::PromptOn => self.go_to_prompt(true),
            Act::SelectOutput => self.select_output(),
            Act::CopyOutput => return self.copy_output(),
            Act::Hints => return OverlayOutcome::StayAndRun("hints".into()),
            Act::Ask(question) => self.ask(question),
            Act::SearchAgain => self.search_again(true),
            Act::SearchReverse => self.search_again(false),
            Act::SearchWordDown => self.search_word(true),
            Act::SearchWordUp => self.search_word(false),
            Act::Bracket => self.bracket(true),
            Act::BracketBack => self.bracket(false),
            Act::SelectText => self.begin_selection(),
            Act::SelectLines => self.select(SelectionShape::Lines),
            Act::SelectBlock => self.select(SelectionShape::Block),
            Act::ToggleBlock => self.toggle_block(),
            Act::Copy => return self.copy(),
            Act::CopyToLineEnd => {
                self.selection = Some((self.position, SelectionShape::Text));
                self.excludes_end = false;
                self.go(row, self.last_col(row));
                return self.copy();
            }
            Act::Append => return self.append(),
            Act::OtherEnd => self.other_end(),
            Act::JumpAgain => self.jump_again(true),
            Act::JumpReverse => self.jump_again(false),
            Act::SetMark => self.mark = Some(self.position),
            Act::GoToMark => self.go_to_mark(),
            Act::Refresh => return OverlayOutcome::Run("copy-mode".into()),
            Act::TogglePosition => self.shows_position = !self.shows_position,
        }
        OverlayOutcome::Stay
    }

    fn go_to_mark(&mut self) {
        if let Some(mark) = self.mark {
            self.mark = Some(self.position);
            self.go(mark.row, mark.col);
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::{PaneId, Size};

    use super::*;

    #[test]
    fn escape_clears_the_selection_with_vi_keys_and_leaves_with_emacs_keys() {
        let copy = |emacs: bool| {
            let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), "one two", Size::new(10, 4), None);
            copy.keys.emacs = emacs;
            copy
        };
        let press = |copy: &mut CopyMode, key: &str| copy.key(key.parse().expect("a key"));
        let mut vi = copy(false);
        press(&mut vi, "Space");
        assert!(vi.selection.is_some());
        for _ in 0..2 {
            assert_eq!(
                press(&mut vi, "Escape"),
                OverlayOutcome::Stay,
                "what is typed next is not for the program"
            );
            assert!(vi.selection.is_none());
        }
        assert_eq!(press(&mut vi, "q"), OverlayOutcome::Close);
        assert_eq!(press(&mut copy(true), "C-g"), OverlayOutcome::Stay);
        assert_eq!(press(&mut copy(true), "Escape"), OverlayOutcome::Close);
    }
}
