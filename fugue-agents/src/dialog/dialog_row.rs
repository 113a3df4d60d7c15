//! The rows of a screen as the rules for dialogs see them.

use crate::shown_screen::{ShownRow, ShownSpan};

/// A row of a screen.
pub(crate) struct DialogRow {
    /// The text without the frame around it.
    pub(crate) text: String,
    /// The text with the frame.
    framed: String,
    /// Whether all of it is drawn as a hint.
    pub(crate) is_faint: bool,
    /// Whether it begins with blanks, or is blank.
    pub(crate) is_indented: bool,
    /// Whether there is a frame at its left.
    is_framed: bool,
}

/// The columns at the right that a row may leave free although the next word does not fit there: the padding of a frame.
const MARGIN: usize = 6;

/// The characters of a frame at the sides of a row.
const SIDES: &str = "│┃║";

impl DialogRow {
    pub(crate) fn of(row: &ShownRow) -> Self {
        let whole = row.text();
        let is_indented = !whole.starts_with(|c: char| !c.is_whitespace());
        let framed = whole.trim().to_owned();
        let text = framed.trim_matches(|c: char| c.is_whitespace() || SIDES.contains(c)).to_owned();
        let mut words = row.spans.iter().filter(|span| !span.text.trim().is_empty());
        let is_framed = framed.starts_with(|c| SIDES.contains(c));
        Self { text, framed, is_faint: words.all(|span| span.style.is_hint()), is_indented, is_framed }
    }

    /// Whether its text begins to the right of the first column, or in a frame.
    pub(crate) fn is_inside(&self) -> bool {
        self.is_indented || self.is_framed
    }

    /// Whether it separates a dialog from what is above it.
    pub(crate) fn is_rule(&self) -> bool {
        !self.is_indented
            && self.framed.chars().count() > 3
            && self.framed.chars().all(|c| "─━═╭╮┌┐▔▁▀▄".contains(c))
    }

    /// Whether it is the top of a box, which may be indented. One inside another box begins with the side of that one.
    pub(crate) fn is_box_top(&self) -> bool {
        self.framed.starts_with('╭') && self.framed.chars().all(|c| "─╭╮".contains(c))
    }

    /// Whether it separates the parts of a dialog.
    pub(crate) fn is_thin_rule(&self) -> bool {
        self.text.chars().count() > 3 && self.text.chars().all(|c| "╌┄┈╰╯└┘─╭╮".contains(c))
    }
}

/// Whether a row continues the text of the row above it: its first word did not fit there, and has the color of the last
/// one there. The description of a choice, which may be below it, has another one.
pub(crate) fn continues(above: &ShownRow, below: &ShownRow, cols: usize) -> bool {
    let has_text = |span: &&ShownSpan| !span.text.trim_matches(is_edge).is_empty();
    let Some(last) = above.spans.iter().rfind(has_text) else { return false };
    let is_same = below.spans.iter().find(has_text).is_some_and(|first| first.style.fg == last.style.fg);
    let (above, below) = (above.text(), below.text());
    let first = below.trim_matches(is_edge).split_whitespace().next().map_or(0, |word| word.chars().count());
    let end = above.trim_end_matches(is_edge).chars().count();
    is_same && end + 1 + first + MARGIN > cols
}

fn is_edge(c: char) -> bool {
    c.is_whitespace() || SIDES.contains(c)
}
