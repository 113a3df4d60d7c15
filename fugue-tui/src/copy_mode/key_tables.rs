//! The key tables of copy mode: vi's, emacs's, and the person's own bindings.

use fugue_screen::keys::Key;

use super::action_table::{Act, CopyPrompt};

/// vi keys as in tmux, and fugue's own: `y`, `gg`, `[`, `]`, `s`, `Y` and `u`.
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
    ("C-v", Act::SelectBlock),
    ("C-y", Act::ScrollUp),
    ("Escape", Act::ClearSelection),
    ("Space", Act::SelectText),
    ("#", Act::SearchWordUp),
    ("$", Act::LineEnd),
    ("%", Act::Bracket),
    ("*", Act::SearchWordDown),
    (",", Act::JumpReverse),
    ("/", Act::Ask(CopyPrompt::Down)),
    ("0", Act::LineStart),
    (":", Act::Ask(CopyPrompt::Line)),
    (";", Act::JumpAgain),
    ("?", Act::Ask(CopyPrompt::Up)),
    ("A", Act::Append),
    ("B", Act::SpaceBack),
    ("D", Act::CopyToLineEnd),
    ("E", Act::SpaceEnd),
    ("F", Act::Ask(CopyPrompt::JumpBack)),
    ("G", Act::Bottom),
    ("H", Act::ScreenTop),
    ("J", Act::ScrollDown),
    ("K", Act::ScrollUp),
    ("L", Act::ScreenBottom),
    ("M", Act::ScreenMiddle),
    ("N", Act::SearchReverse),
    ("P", Act::TogglePosition),
    ("T", Act::Ask(CopyPrompt::TillBack)),
    ("V", Act::SelectLines),
    ("W", Act::SpaceOn),
    ("X", Act::SetMark),
    ("Y", Act::CopyOutput),
    ("[", Act::PromptBack),
    ("]", Act::PromptOn),
    ("^", Act::Indent),
    ("b", Act::WordBack),
    ("e", Act::WordEnd),
    ("f", Act::Ask(CopyPrompt::JumpOn)),
    ("g", Act::Top),
    ("h", Act::Left),
    ("j", Act::Down),
    ("k", Act::Up),
    ("l", Act::Right),
    ("n", Act::SearchAgain),
    ("o", Act::OtherEnd),
    ("q", Act::Cancel),
    ("r", Act::Refresh),
    ("s", Act::SelectOutput),
    ("t", Act::Ask(CopyPrompt::TillOn)),
    ("u", Act::Hints),
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

/// Emacs keys as in tmux.
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
    ("C-r", Act::Ask(CopyPrompt::Up)),
    ("C-s", Act::Ask(CopyPrompt::Down)),
    ("C-v", Act::PageDown),
    ("C-w", Act::Copy),
    ("Escape", Act::Cancel),
    ("Space", Act::PageDown),
    (",", Act::JumpReverse),
    (";", Act::JumpAgain),
    ("F", Act::Ask(CopyPrompt::JumpBack)),
    ("N", Act::SearchReverse),
    ("P", Act::TogglePosition),
    ("R", Act::ToggleBlock),
    ("T", Act::Ask(CopyPrompt::TillBack)),
    ("X", Act::SetMark),
    ("f", Act::Ask(CopyPrompt::JumpOn)),
    ("g", Act::Ask(CopyPrompt::Line)),
    ("n", Act::SearchAgain),
    ("q", Act::Cancel),
    ("r", Act::Refresh),
    ("t", Act::Ask(CopyPrompt::TillOn)),
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

/// The keys of copy mode: the person's own bindings, then the preferred table, then the other one, so that a key which
/// only one of the tables has always works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CopyKeys {
    /// Emacs keys take precedence over vi keys.
    pub(crate) emacs: bool,
    /// The person's bindings, of which the last for a key counts; `None` where a key was unbound.
    pub(crate) bound: Vec<(Key, Option<Act>)>,
}

impl CopyKeys {
    /// The action of a key.
    pub(crate) fn find(&self, key: Key) -> Option<Act> {
        if let Some((_, act)) = self.bound.iter().rev().find(|(bound, _)| *bound == key) {
            return *act;
        }
        let tables = if self.emacs { [EMACS, VI] } else { [VI, EMACS] };
        let mut rows = tables.into_iter().flatten();
        rows.find(|(name, _)| name.parse() == Ok(key)).map(|(_, act)| *act)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_valid_and_listed_once() {
        for table in [VI, EMACS] {
            for (at, (name, _)) in table.iter().enumerate() {
                let key: Key = name.parse().expect(name);
                assert_eq!(table.iter().position(|(other, _)| other.parse() == Ok(key)), Some(at), "{name}");
            }
        }
    }
}
