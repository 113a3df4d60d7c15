//! Plain text of what is visible.

use crate::screen::Screen;
use crate::span::{RowView, view};

impl Screen {
    /// The visible rows as text, right-trimmed.
    pub fn screen_rows(&self) -> Vec<String> {
        self.rows().iter().map(RowView::text).collect()
    }

    /// The visible rows in spans.
    pub fn rows(&self) -> Vec<RowView> {
        let t = &self.terminal;
        t.grid.rows.iter().map(|row| view(row, &t.tables)).collect()
    }
}
