//! Plain text of what is visible.

use crate::row_view::{RowView, drawn_row, view};
use crate::screen::Screen;

impl Screen {
    /// The visible rows as text, right-trimmed.
    pub fn screen_rows(&self) -> Vec<String> {
        self.written_rows().map(|row| row.text()).collect()
    }

    /// The visible rows as they were written, which is not how double ones are drawn.
    fn written_rows(&self) -> impl Iterator<Item = RowView> {
        self.terminal.buffers.grid.rows.iter().map(|row| view(row, &self.terminal.interner))
    }

    /// The visible rows in spans.
    pub fn rows(&self) -> Vec<RowView> {
        let t = &self.terminal;
        t.buffers.grid.rows.iter().map(|row| drawn_row(row, t.buffers.grid.cols, &t.interner)).collect()
    }

    /// What is visible as one text. Rows that were wrapped are one line if `joined`; blank rows at the end are left out.
    pub fn screen_text(&self, joined: bool) -> String {
        let mut text = String::new();
        let mut goes_on = false;
        for (at, row) in self.written_rows().enumerate() {
            if at > 0 && !goes_on {
                text.push('\n');
            }
            goes_on = joined && row.wrapped;
            match goes_on {
                true => row.spans.iter().for_each(|span| text.push_str(&span.text)),
                false => text.push_str(&row.text()),
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}
