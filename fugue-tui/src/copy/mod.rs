//! A pane's past: look back, search, select, copy. The rows are the daemon's, laid out at the pane's width by a screen
//! of the client's own.

mod keys;
mod moves;
mod search;
mod select;
mod view;

use fugue_protocol::{PaneId, Size};
use fugue_screen::{Limits, RowView, Screen};

use crate::layers::Outcome;
pub(crate) use select::Shape;

/// A place: row from the top of the past, and column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) row: usize,
    pub(crate) col: usize,
}

/// A view of a pane's past.
pub(crate) struct CopyMode {
    pub(crate) pane: PaneId,
    rows: Vec<RowView>,
    /// Each row's characters, one for each column; a wide one is followed by nothing.
    cells: Vec<Vec<Option<char>>>,
    size: Size,
    /// The first row that is shown.
    top: usize,
    spot: Spot,
    selection: Option<(Spot, Shape)>,
    search: search::Search,
    /// It was entered by the wheel: at the bottom it closes by itself.
    fleeting: bool,
    /// The last key was `g`, which waits for another.
    pending: Option<char>,
}

impl CopyMode {
    /// From the text of a pane, with its colours as sequences, in which line ends are `\n`.
    pub(crate) fn new(pane: PaneId, text: &str, size: Size, fleeting: bool) -> Self {
        /// As much as a daemon tells.
        const LIMITS: Limits = Limits { lines: 1_000_000, bytes: 256 << 20 };
        let mut screen = Screen::new(fugue_screen::Size { cols: size.cols, rows: size.rows }, LIMITS);
        screen.feed(text.replace('\n', "\r\n").as_bytes());
        let lines = screen.wrapped_lines(screen.first_line(), screen.end().line + 1, size.cols);
        let rows: Vec<RowView> = lines.into_iter().map(|(_, row)| row).collect();
        let cells = rows.iter().map(cells).collect::<Vec<_>>();
        let top = rows.len().saturating_sub(usize::from(size.rows));
        let spot = Spot { row: rows.len().saturating_sub(1), col: 0 };
        let search = search::Search::default();
        Self { pane, rows, cells, size, top, spot, selection: None, search, fleeting, pending: None }
    }

    fn height(&self) -> usize {
        usize::from(self.size.rows).max(1)
    }

    /// The last column with something in it.
    fn last_col(&self, row: usize) -> usize {
        self.cells.get(row).map_or(0, |cells| cells.len().saturating_sub(1))
    }

    /// Moves to a place and keeps it in sight.
    fn go(&mut self, row: usize, col: usize) {
        let row = row.min(self.rows.len().saturating_sub(1));
        self.spot = Spot { row, col };
        self.top = self.top.min(row).max((row + 1).saturating_sub(self.height()));
    }

    /// Scrolls; the place goes along when it would be out of sight.
    pub(crate) fn scroll(&mut self, by: isize) -> Outcome {
        let bottom = self.rows.len().saturating_sub(self.height());
        self.top = self.top.saturating_add_signed(by).min(bottom);
        let row = self.spot.row.clamp(self.top, self.top + self.height() - 1);
        self.spot.row = row.min(self.rows.len().saturating_sub(1));
        let over = self.fleeting && by > 0 && self.top == bottom && self.selection.is_none();
        if over { Outcome::Close } else { Outcome::Stay }
    }
}

/// A row's characters by column.
fn cells(row: &RowView) -> Vec<Option<char>> {
    let mut cells = Vec::new();
    for span in &row.spans {
        let count = if span.cluster { 1 } else { usize::MAX };
        for c in span.text.chars().take(count) {
            cells.push(Some(c));
            cells.extend((1..span.width).map(|_| None));
        }
    }
    cells
}
