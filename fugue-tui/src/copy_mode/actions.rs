//! The actions of copy mode, as rows.

/// What a key does in copy mode.
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
    Ask(CopyPrompt),
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

impl Act {
    /// The action of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ACTS.iter().find(|(known, ..)| *known == name).map(|(_, act, _)| *act)
    }
}

/// A prompt of copy mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyPrompt {
    Down,
    Up,
    Line,
    JumpOn,
    JumpBack,
    TillOn,
    TillBack,
}

impl CopyPrompt {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Down => "/",
            Self::Up => "?",
            Self::Line => " go to line: ",
            Self::JumpOn => " jump to: ",
            Self::JumpBack => " jump back to: ",
            Self::TillOn => " jump before: ",
            Self::TillBack => " jump back before: ",
        }
    }

    /// The jump to this character, if the prompt asks for one.
    pub(super) fn jump(self, to: char) -> Option<Jump> {
        match self {
            Self::JumpOn => Some(Jump { to, on: true, till: false }),
            Self::JumpBack => Some(Jump { to, on: false, till: false }),
            Self::TillOn => Some(Jump { to, on: true, till: true }),
            Self::TillBack => Some(Jump { to, on: false, till: true }),
            Self::Down | Self::Up | Self::Line => None,
        }
    }
}

/// A jump to a character of the row, which can be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Jump {
    pub(crate) to: char,
    pub(crate) on: bool,
    /// Stop one cell before the character.
    pub(crate) till: bool,
}

/// The shape of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SelectionShape {
    Text,
    Lines,
    Block,
}

/// Every action: its name in `[copy_keys]`, and what it does.
pub(crate) const ACTS: &[(&str, Act, &str)] = &[
    ("cancel", Act::Cancel, "leave"),
    ("clear-selection", Act::ClearSelection, "select nothing; else leave"),
    ("left", Act::Left, "left"),
    ("right", Act::Right, "right"),
    ("up", Act::Up, "up"),
    ("down", Act::Down, "down"),
    ("page-up", Act::PageUp, "a page up"),
    ("page-down", Act::PageDown, "a page down"),
    ("half-up", Act::HalfUp, "half a page up"),
    ("half-down", Act::HalfDown, "half a page down"),
    ("scroll-up", Act::ScrollUp, "scroll up"),
    ("scroll-down", Act::ScrollDown, "scroll down"),
    ("line-start", Act::LineStart, "beginning of the row"),
    ("line-end", Act::LineEnd, "end of the row"),
    ("indent", Act::Indent, "first word of the row"),
    ("word-on", Act::WordOn, "next word"),
    ("word-end", Act::WordEnd, "end of the word"),
    ("word-back", Act::WordBack, "word before"),
    ("space-on", Act::SpaceOn, "next word between blanks"),
    ("space-end", Act::SpaceEnd, "its end"),
    ("space-back", Act::SpaceBack, "the one before"),
    ("top", Act::Top, "the oldest row"),
    ("bottom", Act::Bottom, "the newest row"),
    ("screen-top", Act::ScreenTop, "first row in sight"),
    ("screen-middle", Act::ScreenMiddle, "middle row in sight"),
    ("screen-bottom", Act::ScreenBottom, "last row in sight"),
    ("paragraph-back", Act::ParagraphBack, "paragraph before"),
    ("paragraph-on", Act::ParagraphOn, "next paragraph"),
    ("search-again", Act::SearchAgain, "next match"),
    ("search-reverse", Act::SearchReverse, "match before"),
    ("search-word-down", Act::SearchWordDown, "look for this word, down"),
    ("search-word-up", Act::SearchWordUp, "look for this word, up"),
    ("bracket", Act::Bracket, "the bracket that belongs to this one"),
    ("bracket-back", Act::BracketBack, "the same, backwards"),
    ("select-text", Act::SelectText, "begin to select"),
    ("select-lines", Act::SelectLines, "select lines"),
    ("toggle-block", Act::ToggleBlock, "select; then a block, then text again"),
    ("copy", Act::Copy, "copy and leave"),
    ("copy-to-line-end", Act::CopyToLineEnd, "copy to the end of the row"),
    ("append", Act::Append, "copy behind what was copied before"),
    ("other-end", Act::OtherEnd, "the other end of the selection"),
    ("jump-again", Act::JumpAgain, "jump again"),
    ("jump-reverse", Act::JumpReverse, "jump back"),
    ("set-mark", Act::SetMark, "set the mark"),
    ("go-to-mark", Act::GoToMark, "go to the mark"),
    ("refresh", Act::Refresh, "look at what is new"),
    ("toggle-position", Act::TogglePosition, "show or hide the position"),
    ("search-down", Act::Ask(CopyPrompt::Down), "search down"),
    ("search-up", Act::Ask(CopyPrompt::Up), "search up"),
    ("go-to-line", Act::Ask(CopyPrompt::Line), "so many lines back"),
    ("jump", Act::Ask(CopyPrompt::JumpOn), "to a character of the row"),
    ("jump-back", Act::Ask(CopyPrompt::JumpBack), "to a character before"),
    ("jump-before", Act::Ask(CopyPrompt::TillOn), "before a character of the row"),
    ("jump-back-before", Act::Ask(CopyPrompt::TillBack), "behind a character before"),
];

#[cfg(test)]
mod tests {
    use super::super::key_tables::{EMACS, VI};
    use super::*;

    #[test]
    fn every_action_has_exactly_one_name() {
        for (_, act) in VI.iter().chain(EMACS) {
            assert_eq!(ACTS.iter().filter(|(_, known, _)| known == act).count(), 1, "{act:?}");
        }
        for (at, (name, ..)) in ACTS.iter().enumerate() {
            assert_eq!(ACTS.iter().position(|(other, ..)| other == name), Some(at), "{name}");
        }
    }
}
