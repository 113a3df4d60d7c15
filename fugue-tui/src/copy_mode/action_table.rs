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
    PromptBack,
    PromptOn,
    SelectOutput,
    CopyOutput,
    Hints,
    Ask(CopyPrompt),
    SearchAgain,
    SearchReverse,
    SearchWordDown,
    SearchWordUp,
    Bracket,
    BracketBack,
    SelectText,
    SelectLines,
    SelectBlock,
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
            Self::Line => "Go to line: ",
            Self::JumpOn => "Jump to: ",
            Self::JumpBack => "Jump back to: ",
            Self::TillOn => "Jump to just before: ",
            Self::TillBack => "Jump back to just after: ",
        }
    }

    /// Whether it asks for a pattern to search for.
    pub(super) fn is_search(self) -> bool {
        matches!(self, Self::Down | Self::Up)
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
    ("cancel", Act::Cancel, "leave copy mode"),
    ("clear-selection", Act::ClearSelection, "clear the selection"),
    ("left", Act::Left, "left"),
    ("right", Act::Right, "right"),
    ("up", Act::Up, "up"),
    ("down", Act::Down, "down"),
    ("page-up", Act::PageUp, "one page up"),
    ("page-down", Act::PageDown, "one page down"),
    ("half-up", Act::HalfUp, "half a page up"),
    ("half-down", Act::HalfDown, "half a page down"),
    ("scroll-up", Act::ScrollUp, "scroll up one row"),
    ("scroll-down", Act::ScrollDown, "scroll down one row"),
    ("line-start", Act::LineStart, "start of the row"),
    ("line-end", Act::LineEnd, "end of the row"),
    ("indent", Act::Indent, "first word of the row"),
    ("word-on", Act::WordOn, "next word"),
    ("word-end", Act::WordEnd, "end of the word"),
    ("word-back", Act::WordBack, "previous word"),
    ("space-on", Act::SpaceOn, "next space-separated word"),
    ("space-end", Act::SpaceEnd, "end of the space-separated word"),
    ("space-back", Act::SpaceBack, "previous space-separated word"),
    ("top", Act::Top, "oldest row"),
    ("bottom", Act::Bottom, "newest row"),
    ("screen-top", Act::ScreenTop, "top row of the screen"),
    ("screen-middle", Act::ScreenMiddle, "middle row of the screen"),
    ("screen-bottom", Act::ScreenBottom, "bottom row of the screen"),
    ("paragraph-back", Act::ParagraphBack, "previous paragraph"),
    ("paragraph-on", Act::ParagraphOn, "next paragraph"),
    ("previous-prompt", Act::PromptBack, "previous command"),
    ("next-prompt", Act::PromptOn, "next command"),
    ("select-output", Act::SelectOutput, "select the output of the command at the cursor"),
    ("copy-output", Act::CopyOutput, "copy the output of the command at the cursor"),
    ("hints", Act::Hints, "label links and paths: type a label to copy, or type it in capitals to open"),
    ("search-again", Act::SearchAgain, "next match"),
    ("search-reverse", Act::SearchReverse, "previous match"),
    ("search-word-down", Act::SearchWordDown, "search down for the word under the cursor"),
    ("search-word-up", Act::SearchWordUp, "search up for the word under the cursor"),
    ("bracket", Act::Bracket, "matching bracket"),
    ("bracket-back", Act::BracketBack, "matching bracket, searching backward"),
    ("select-text", Act::SelectText, "start a selection"),
    ("select-lines", Act::SelectLines, "select lines"),
    ("select-block", Act::SelectBlock, "select a block"),
    ("toggle-block", Act::ToggleBlock, "start a selection; press again to toggle block selection"),
    ("copy", Act::Copy, "copy the selection and leave copy mode"),
    ("copy-to-line-end", Act::CopyToLineEnd, "copy to the end of the row"),
    ("append", Act::Append, "append the selection to the newest buffer"),
    ("other-end", Act::OtherEnd, "other end of the selection"),
    ("jump-again", Act::JumpAgain, "repeat the last jump"),
    ("jump-reverse", Act::JumpReverse, "repeat the last jump in the other direction"),
    ("set-mark", Act::SetMark, "set the mark"),
    ("go-to-mark", Act::GoToMark, "go to the mark"),
    ("refresh", Act::Refresh, "refresh from live output"),
    ("toggle-position", Act::TogglePosition, "show or hide the position"),
    ("search-down", Act::Ask(CopyPrompt::Down), "search down for a regular expression"),
    ("search-up", Act::Ask(CopyPrompt::Up), "search up for a regular expression"),
    ("go-to-line", Act::Ask(CopyPrompt::Line), "go to a line, counting from the newest"),
    ("jump", Act::Ask(CopyPrompt::JumpOn), "jump forward to a character in the row"),
    ("jump-back", Act::Ask(CopyPrompt::JumpBack), "jump back to a character in the row"),
    ("jump-before", Act::Ask(CopyPrompt::TillOn), "jump forward to just before a character"),
    ("jump-back-before", Act::Ask(CopyPrompt::TillBack), "jump back to just after a character"),
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
