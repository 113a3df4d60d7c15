//! A row of a list: what it shows, what a filter finds in it, and what choosing it does.

use fugue_protocol::{PaneId, SessionId, WindowId};
use fugue_screen::keys::Key;

use crate::theme::ThemePart;

/// What a row of the tree stands for, as far as it can be killed from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowTarget {
    Session(SessionId),
    Window(WindowId),
    Pane(PaneId),
}

/// A row of a list.
#[derive(Debug, Default)]
pub(crate) struct ListRow {
    /// A symbol before the text, with the part of the theme that draws it.
    pub(crate) sign: Option<(char, ThemePart)>,
    pub(crate) text: String,
    /// The columns at the start of the text that are bold.
    pub(crate) bold: usize,
    /// The columns at the start of the text that another part of the theme draws, such as a key.
    pub(crate) lead: Option<(usize, ThemePart)>,
    /// The part of the theme that draws the text, if not the usual one.
    pub(crate) part: Option<ThemePart>,
    pub(crate) detail: String,
    /// The parts of the theme that draw the first columns of the detail, and the rest as text; all of it is less
    /// important without them.
    pub(crate) colors: Vec<(usize, ThemePart)>,
    /// The key that does the same, at the right.
    pub(crate) key: String,
    /// The key that chooses it at once, before a filter was typed.
    pub(crate) shortcut: Option<Key>,
    /// Words that a filter finds as well.
    pub(crate) also: String,
    /// The command line that choosing it runs.
    pub(crate) command: String,
    /// What `x` kills, after a question.
    pub(crate) kills: Option<RowTarget>,
    /// The pane that is previewed while the row is selected.
    pub(crate) pane: Option<PaneId>,
    /// The text that is previewed while the row is selected, if no pane is.
    pub(crate) preview_text: String,
    /// The name of what is previewed, if it is not the text.
    pub(crate) name: String,
    /// Whether it only names the rows below it; without a text, it is a line between them.
    pub(crate) heading: bool,
    /// Whether it only explains the row above it.
    pub(crate) note: bool,
    /// The number of a dialog's choice, which belongs to the agent above it.
    pub(crate) choice: Option<usize>,
}

impl ListRow {
    /// Whether it can be chosen.
    pub(super) fn is_choosable(&self) -> bool {
        !self.heading && !self.note
    }

    /// Whether something is previewed while it is selected.
    pub(super) fn has_preview(&self) -> bool {
        self.pane.is_some() || !self.preview_text.is_empty()
    }
}
