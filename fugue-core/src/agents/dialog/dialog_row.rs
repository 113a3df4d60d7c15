//! The rows of a screen as the rules for dialogs see them.

use fugue_screen::RowView;

use crate::agents::composer::is_hint;

/// A row of a screen.
pub(super) struct DialogRow {
    /// The text without the frame around it.
    pub(super) text: String,
    /// The text with the frame.
    framed: String,
    /// Whether all of it is drawn as a hint.
    pub(super) is_faint: bool,
    /// Whether it begins with blanks, or is blank.
    pub(super) is_indented: bool,
}

/// A row of a choice.
pub(super) struct ChoiceRow {
    pub(super) row: usize,
    pub(super) number: usize,
    pub(super) selected: bool,
    pub(super) label: String,
}

impl DialogRow {
    pub(super) fn of(row: &RowView) -> Self {
        let whole = row.text();
        let is_indented = !whole.starts_with(|c: char| !c.is_whitespace());
        let framed = whole.trim().to_owned();
        let text = framed.trim_matches(|c: char| c.is_whitespace() || "│┃║".contains(c)).to_owned();
        let mut words = row.spans.iter().filter(|span| !span.text.trim().is_empty());
        Self { text, framed, is_faint: words.all(|span| is_hint(span.style)), is_indented }
    }

    /// Whether it separates a dialog from what is above it.
    pub(super) fn is_rule(&self) -> bool {
        !self.is_indented
            && self.framed.chars().count() > 3
            && self.framed.chars().all(|c| "─━═╭╮┌┐▔▁▀▄".contains(c))
    }

    /// Whether it is the top of a box, which may be indented. One inside another box begins with the side of that one.
    pub(super) fn is_box_top(&self) -> bool {
        self.framed.starts_with('╭') && self.framed.chars().all(|c| "─╭╮".contains(c))
    }

    /// Whether it separates the parts of a dialog.
    pub(super) fn is_thin_rule(&self) -> bool {
        self.text.chars().count() > 3 && self.text.chars().all(|c| "╌┄┈╰╯└┘─╭╮".contains(c))
    }
}
