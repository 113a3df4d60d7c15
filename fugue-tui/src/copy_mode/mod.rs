//! Copy mode: scroll back in a pane, search, select, copy. The text comes from the daemon and is laid out at the pane's
//! width by a screen of the client's own.

pub(crate) mod action_table;
mod command_marks;
mod draw;
mod jump;
mod key_actions;
pub(crate) mod key_tables;
mod movement;
mod prompts;
mod resize;
mod rows;
pub(crate) mod search;
mod selection;

use fugue_protocol::{PaneId, Size};
use fugue_screen::{ColorOverrides, RowView};

use crate::overlays::outcome::OverlayOutcome;

use action_table::{CopyPrompt, Jump, SelectionShape};
use command_marks::CommandMark;
use key_tables::CopyKeys;
use rows::CopyPosition;
pub(crate) use rows::used_rows;
use rows::{cells, is_blank, lay_out};
use search::CopySearch;

/// A match that was out of sight is shown at least this fraction of the pane's height from its edge, where there are rows:
/// a quarter.
const CONTEXT_PART: usize = 4;

/// Copy mode in a pane.
pub(crate) struct CopyMode {
    pub(crate) pane: PaneId,
    /// The text of the rows.
    text: String,
    rows: Vec<RowView>,
    /// The characters of each row, one for each column; a wide one is followed by `None`.
    cells: Vec<Vec<Option<char>>>,
    size: Size,
    /// The first visible row.
    top: usize,
    position: CopyPosition,
    selection: Option<(CopyPosition, SelectionShape)>,
    /// Whether the character at its end is not selected, as with emacs keys.
    excludes_end: bool,
    search: CopySearch,
    /// The open prompt, and what is typed so far.
    asked: Option<(CopyPrompt, String)>,
    /// A message that is shown until the next key.
    message: Option<String>,
    jumped: Option<Jump>,
    mark: Option<CopyPosition>,
    /// The prompts and outputs of commands, oldest first.
    commands: Vec<CommandMark>,
    /// The repeat count of the next key, as far as it was typed.
    count: usize,
    shows_position: bool,
    /// The colors that the pane's program has set.
    pub(crate) colors: ColorOverrides,
    pub(crate) keys: CopyKeys,
    /// The wheel or a click opened it: it closes by itself at the bottom.
    pub(crate) transient: bool,
}

impl CopyMode {
    /// Builds copy mode from a pane's text with its colors, in which lines end with `\n`. A screen of which `used` rows
    /// are used is shown with its empty rows below.
    pub(crate) fn new(pane: PaneId, text: &str, size: Size, used: Option<usize>) -> Self {
        let mut rows = lay_out(text, size);
        let height = usize::from(size.rows).max(1);
        if let Some(used) = used {
            let last = rows.iter().rposition(|row| !is_blank(row)).map_or(0, |at| at + 1);
            rows.truncate(last);
            rows.resize_with((last + height.saturating_sub(used)).max(height), RowView::default);
        }
        let cells = rows.iter().map(cells).collect::<Vec<_>>();
        let (top, last) = (rows.len().saturating_sub(height), rows.len().saturating_sub(1));
        Self {
            pane,
            text: text.to_owned(),
            rows,
            cells,
            size,
            top,
            position: CopyPosition { row: last, col: 0 },
            selection: None,
            excludes_end: false,
            search: CopySearch::default(),
            asked: None,
            message: None,
            jumped: None,
            mark: None,
            commands: Vec::new(),
            count: 0,
            shows_position: true,
            colors: ColorOverrides::default(),
            keys: CopyKeys::default(),
            transient: false,
        }
    }

    /// The position at a cell of the pane. The pane may have grown since its text was read: below the last row is the
    /// last row.
    pub(crate) fn position_at(&self, row: u16, col: u16) -> CopyPosition {
        let row = (self.top + usize::from(row)).min(self.rows.len().saturating_sub(1));
        CopyPosition { row, col: usize::from(col) }
    }

    /// Moves to a cell of the pane and drops the selection.
    pub(crate) fn begin_at(&mut self, row: u16, col: u16) {
        self.selection = None;
        self.go_to(row, col);
    }

    /// Moves to a cell of the pane.
    pub(crate) fn go_to(&mut self, row: u16, col: u16) {
        let position = self.position_at(row, col);
        self.go(position.row, position.col);
    }

    /// Extends the selection to a cell of the pane, or begins one at the cursor.
    pub(crate) fn drag_to(&mut self, row: u16, col: u16) {
        let from = self.selection.map_or(self.position, |(from, _)| from);
        self.select_from(from, self.position_at(row, col));
    }

    /// The rows that are visible.
    pub(crate) fn visible_rows(&self) -> &[RowView] {
        let end = (self.top + self.height()).min(self.rows.len());
        &self.rows[self.top.min(end)..end]
    }

    /// The first visible row.
    pub(crate) fn top(&self) -> usize {
        self.top
    }

    fn height(&self) -> usize {
        usize::from(self.size.rows).max(1)
    }

    /// The last column that is not empty.
    fn last_col(&self, row: usize) -> usize {
        self.cells.get(row).map_or(0, |cells| cells.len().saturating_sub(1))
    }

    /// Moves to a position and keeps it visible.
    fn go(&mut self, row: usize, col: usize) {
        let row = row.min(self.rows.len().saturating_sub(1));
        self.position = CopyPosition { row, col };
        self.top = self.top.min(row).max((row + 1).saturating_sub(self.height()));
    }

    /// Moves to a match. If it is out of sight, it comes into view with some rows around it.
    fn go_to_match(&mut self, found: CopyPosition) {
        let (height, bottom) = (self.height(), self.rows.len().saturating_sub(self.height()));
        let context = height / CONTEXT_PART;
        let (is_above, is_below) = (found.row < self.top, found.row >= self.top + height);
        self.go(found.row, found.col);
        if is_above {
            self.top = self.top.saturating_sub(context);
        } else if is_below {
            self.top = (self.top + context).min(bottom);
        }
    }

    /// Scrolls; the cursor moves along when it would be out of sight.
    pub(crate) fn scroll(&mut self, by: isize) -> OverlayOutcome {
        let bottom = self.rows.len().saturating_sub(self.height());
        self.top = self.top.saturating_add_signed(by).min(bottom);
        let row = self.position.row.clamp(self.top, self.top + self.height() - 1);
        self.position.row = row.min(self.rows.len().saturating_sub(1));
        let over = self.transient && by > 0 && self.top == bottom && self.selection.is_none();
        if over { OverlayOutcome::Close } else { OverlayOutcome::Stay }
    }
}
