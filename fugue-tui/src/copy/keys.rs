//! The keys of the view back, as rows: vi's and emacs's. The one a person prefers is looked up first, so that a key
//! which means something in one of them alone always means it.

use fugue_screen::keys::{Code, Key};

use super::ask::Question;
use super::select::Shape;
use super::{CopyMode, Spot};
use crate::layers::Outcome;

/// Far below the last row.
const END: usize = usize::MAX / 2;

/// A key is repeated at most so often: more rows are never kept.
const MOST: usize = 1_000_000;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Cancel,
    ClearSelection,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    ScrollUp,
    ScrollDown,
    LineStart,
    LineEnd,
    Indent,
    WordOn,
    WordEnd,
    WordBack,
    SpaceOn,
    SpaceEnd,
    SpaceBack,
    Top,
    Bottom,
    ScreenTop,
    ScreenMiddle,
    ScreenBottom,
    ParagraphBack,
    ParagraphOn,
    Ask(Question),
    SearchAgain,
    SearchReverse,
    SearchWordDown,
    SearchWordUp,
    Bracket,
    BracketBack,
    SelectText,
    SelectLines,
    ToggleBlock,
    Copy,
    CopyToLineEnd,
    Append,
    OtherEnd,
    JumpAgain,
    JumpReverse,
    SetMark,
    GoToMark,
    Refresh,
    TogglePosition,
}

#[cfg(test)]
impl Act {
    /// What it does, for the page of keys.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Cancel => "leave",
            Self::ClearSelection => "select nothing; else leave",
            Self::Left => "left",
            Self::Right => "right",
            Self::Up => "up",
            Self::Down => "down",
            Self::PageUp => "a page up",
            Self::PageDown => "a page down",
            Self::HalfUp => "half a page up",
            Self::HalfDown => "half a page down",
            Self::ScrollUp => "scroll up",
            Self::ScrollDown => "scroll down",
            Self::LineStart => "beginning of the row",
            Self::LineEnd => "end of the row",
            Self::Indent => "first word of the row",
            Self::WordOn => "next word",
            Self::WordEnd => "end of the word",
            Self::WordBack => "word before",
            Self::SpaceOn => "next word between blanks",
            Self::SpaceEnd => "its end",
            Self::SpaceBack => "the one before",
            Self::Top => "the oldest row",
            Self::Bottom => "the newest row",
            Self::ScreenTop => "first row in sight",
            Self::ScreenMiddle => "middle row in sight",
            Self::ScreenBottom => "last row in sight",
            Self::ParagraphBack => "paragraph before",
            Self::ParagraphOn => "next paragraph",
            Self::SearchAgain => "next match",
            Self::SearchReverse => "match before",
            Self::SearchWordDown => "look for this word, down",
            Self::SearchWordUp => "look for this word, up",
            Self::Bracket => "the bracket that belongs to this one",
            Self::BracketBack => "the same, backwards",
            Self::SelectText => "begin to select",
            Self::SelectLines => "select lines",
            Self::ToggleBlock => "select; then a block, then text again",
            Self::Copy => "copy and leave",
            Self::CopyToLineEnd => "copy to the end of the row",
            Self::Append => "copy behind what was copied before",
            Self::OtherEnd => "the other end of the selection",
            Self::JumpAgain => "jump again",
            Self::JumpReverse => "jump back",
            Self::SetMark => "set the mark",
            Self::GoToMark => "go to the mark",
            Self::Refresh => "look at what is new",
            Self::TogglePosition => "show or hide the position",
            Self::Ask(Question::Down) => "search down",
            Self::Ask(Question::Up) => "search up",
            Self::Ask(Question::Line) => "so many lines back",
            Self::Ask(Question::JumpOn) => "to a character of the row",
            Self::Ask(Question::JumpBack) => "to a character before",
            Self::Ask(Question::TillOn) => "before a character of the row",
            Self::Ask(Question::TillBack) => "behind a character before",
        }
    }
}

/// vi's, as tmux has them, and `y`, `gg`.
pub(crate) const VI: &[(&str, Act)] = &[
    ("C-b", Act::PageUp),
    ("C-c", Act::Cancel),
    ("C-d", Act::HalfDown),
    ("C-e", Act::ScrollDown),
    ("C-f", Act::PageDown),
    ("C-h", Act::Left),
    ("C-j", Act::Copy),
    ("Enter", Act::Copy),
    ("y", Act::Copy),
    ("C-u", Act::HalfUp),
    ("C-v", Act::ToggleBlock),
    ("C-y", Act::ScrollUp),
    ("Escape", Act::ClearSelection),
    ("Space", Act::SelectText),
    ("#", Act::SearchWordUp),
    ("$", Act::LineEnd),
    ("%", Act::Bracket),
    ("*", Act::SearchWordDown),
    (",", Act::JumpReverse),
    ("/", Act::Ask(Question::Down)),
    ("0", Act::LineStart),
    (":", Act::Ask(Question::Line)),
    (";", Act::JumpAgain),
    ("?", Act::Ask(Question::Up)),
    ("A", Act::Append),
    ("B", Act::SpaceBack),
    ("D", Act::CopyToLineEnd),
    ("E", Act::SpaceEnd),
    ("F", Act::Ask(Question::JumpBack)),
    ("G", Act::Bottom),
    ("H", Act::ScreenTop),
    ("J", Act::ScrollDown),
    ("K", Act::ScrollUp),
    ("L", Act::ScreenBottom),
    ("M", Act::ScreenMiddle),
    ("N", Act::SearchReverse),
    ("P", Act::TogglePosition),
    ("T", Act::Ask(Question::TillBack)),
    ("V", Act::SelectLines),
    ("W", Act::SpaceOn),
    ("X", Act::SetMark),
    ("^", Act::Indent),
    ("b", Act::WordBack),
    ("e", Act::WordEnd),
    ("f", Act::Ask(Question::JumpOn)),
    ("g", Act::Top),
    ("h", Act::Left),
    ("j", Act::Down),
    ("k", Act::Up),
    ("l", Act::Right),
    ("n", Act::SearchAgain),
    ("o", Act::OtherEnd),
    ("q", Act::Cancel),
    ("r", Act::Refresh),
    ("t", Act::Ask(Question::TillOn)),
    ("v", Act::ToggleBlock),
    ("w", Act::WordOn),
    ("{", Act::ParagraphBack),
    ("}", Act::ParagraphOn),
    ("Backspace", Act::Left),
    ("PageDown", Act::PageDown),
    ("PageUp", Act::PageUp),
    ("Up", Act::Up),
    ("Down", Act::Down),
    ("Left", Act::Left),
    ("Right", Act::Right),
    ("M-x", Act::GoToMark),
    ("C-Up", Act::ScrollUp),
    ("C-Down", Act::ScrollDown),
];

/// Emacs's, as tmux has them.
pub(crate) const EMACS: &[(&str, Act)] = &[
    ("C-Space", Act::SelectText),
    ("C-a", Act::LineStart),
    ("C-b", Act::Left),
    ("C-c", Act::Cancel),
    ("C-e", Act::LineEnd),
    ("C-f", Act::Right),
    ("C-g", Act::ClearSelection),
    ("C-k", Act::CopyToLineEnd),
    ("C-n", Act::Down),
    ("C-p", Act::Up),
    ("C-r", Act::Ask(Question::Up)),
    ("C-s", Act::Ask(Question::Down)),
    ("C-v", Act::PageDown),
    ("C-w", Act::Copy),
    ("Escape", Act::Cancel),
    ("Space", Act::PageDown),
    (",", Act::JumpReverse),
    (";", Act::JumpAgain),
    ("F", Act::Ask(Question::JumpBack)),
    ("N", Act::SearchReverse),
    ("P", Act::TogglePosition),
    ("R", Act::ToggleBlock),
    ("T", Act::Ask(Question::TillBack)),
    ("X", Act::SetMark),
    ("f", Act::Ask(Question::JumpOn)),
    ("g", Act::Ask(Question::Line)),
    ("n", Act::SearchAgain),
    ("q", Act::Cancel),
    ("r", Act::Refresh),
    ("t", Act::Ask(Question::TillOn)),
    ("Home", Act::LineStart),
    ("End", Act::LineEnd),
    ("PageDown", Act::PageDown),
    ("PageUp", Act::PageUp),
    ("Up", Act::Up),
    ("Down", Act::Down),
    ("Left", Act::Left),
    ("Right", Act::Right),
    ("C-M-b", Act::BracketBack),
    ("C-M-f", Act::Bracket),
    ("M-<", Act::Top),
    ("M->", Act::Bottom),
    ("M-R", Act::ScreenTop),
    ("M-b", Act::WordBack),
    ("M-f", Act::WordEnd),
    ("M-m", Act::Indent),
    ("M-r", Act::ScreenMiddle),
    ("M-v", Act::PageUp),
    ("M-w", Act::Copy),
    ("M-x", Act::GoToMark),
    ("M-{", Act::ParagraphBack),
    ("M-}", Act::ParagraphOn),
    ("M-Up", Act::HalfUp),
    ("M-Down", Act::HalfDown),
    ("C-Up", Act::ScrollUp),
    ("C-Down", Act::ScrollDown),
];

/// What a key does, in the keys that are preferred, else in the others.
fn find(key: Key, emacs: bool) -> Option<Act> {
    let tables = if emacs { [EMACS, VI] } else { [VI, EMACS] };
    let mut rows = tables.into_iter().flatten();
    rows.find(|(name, _)| name.parse() == Ok(key)).map(|(_, act)| *act)
}

impl CopyMode {
    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        self.told = None;
        if self.is_asked() {
            return self.type_answer(key);
        }
        if self.count_digit(key) {
            return Outcome::Stay;
        }
        let times = std::mem::take(&mut self.count).clamp(1, MOST);
        let Some(act) = find(key, self.emacs) else { return Outcome::Stay };
        for _ in 0..times {
            let before = (self.spot, self.top);
            let outcome = self.act(act);
            if !matches!(outcome, Outcome::Stay) {
                return outcome;
            }
            // Nothing moves any more: the rest would not either.
            if before == (self.spot, self.top) {
                break;
            }
        }
        Outcome::Stay
    }

    /// Digits say how often the next key is meant: plain with vi's keys, with Meta with emacs's.
    fn count_digit(&mut self, key: Key) -> bool {
        let plain = Key { mods: fugue_screen::keys::Mods::default(), ..key };
        let counts = if self.emacs { key.mods.alt } else { key == plain };
        match key.code {
            Code::Char(c) if counts && c.is_ascii_digit() && (c != '0' || self.count > 0) => {
                let digit = c.to_digit(10).unwrap_or(0) as usize;
                self.count = (self.count * 10 + digit).min(MOST);
                true
            }
            _ => false,
        }
    }

    fn act(&mut self, act: Act) -> Outcome {
        let (Spot { row, col }, height) = (self.spot, self.height());
        let half = (height / 2).max(1) as isize;
        match act {
            Act::Cancel => return Outcome::Close,
            Act::ClearSelection if self.selection.is_none() => return Outcome::Close,
            Act::ClearSelection => self.selection = None,
            Act::Left => self.left(),
            Act::Right => self.right(),
            Act::Up => self.go(row.saturating_sub(1), col),
            Act::Down => self.go(row + 1, col),
            Act::PageUp => return self.scroll(-(height as isize)),
            Act::PageDown => return self.scroll(height as isize),
            Act::HalfUp => return self.scroll(-half),
            Act::HalfDown => return self.scroll(half),
            Act::ScrollUp => return self.scroll(-1),
            Act::ScrollDown => return self.scroll(1),
            Act::LineStart => self.go(row, 0),
            Act::LineEnd => self.go(row, self.last_col(row)),
            Act::Indent => self.go(row, self.first_word(row)),
            Act::WordOn => self.word_on(false),
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
            Act::Ask(question) => self.ask(question),
            Act::SearchAgain => self.search_again(true),
            Act::SearchReverse => self.search_again(false),
            Act::SearchWordDown => self.search_word(true),
            Act::SearchWordUp => self.search_word(false),
            Act::Bracket => self.bracket(true),
            Act::BracketBack => self.bracket(false),
            Act::SelectText => self.selection = Some((self.spot, Shape::Text)),
            Act::SelectLines => self.select(Shape::Lines),
            Act::ToggleBlock => self.toggle_block(),
            Act::Copy => return self.copy(),
            Act::CopyToLineEnd => {
                self.selection = Some((self.spot, Shape::Text));
                self.go(row, self.last_col(row));
                return self.copy();
            }
            Act::Append => return self.append(),
            Act::OtherEnd => self.other_end(),
            Act::JumpAgain => self.jump_again(true),
            Act::JumpReverse => self.jump_again(false),
            Act::SetMark => self.mark = Some(self.spot),
            Act::GoToMark => self.go_to_mark(),
            Act::Refresh => return Outcome::Run("copy-mode".into()),
            Act::TogglePosition => self.shows_position = !self.shows_position,
        }
        Outcome::Stay
    }

    fn go_to_mark(&mut self) {
        if let Some(mark) = self.mark {
            self.mark = Some(self.spot);
            self.go(mark.row, mark.col);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_name_and_stands_once() {
        for table in [VI, EMACS] {
            for (at, (name, _)) in table.iter().enumerate() {
                let key: Key = name.parse().expect(name);
                assert_eq!(table.iter().position(|(other, _)| other.parse() == Ok(key)), Some(at), "{name}");
            }
        }
    }
}
