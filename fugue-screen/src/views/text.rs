//! The visible screen as plain text.

use crate::row_view::{RowView, drawn_row, view};
use crate::screen::Screen;
use crate::text_lines::push_columns;

impl Screen {
    /// The visible rows as text without trailing blanks.
    pub fn screen_rows(&self) -> Vec<String> {
        self.written_rows().map(|row| row.text()).collect()
    }

    /// The visible rows as text, the cursor's with the blanks before the cursor.
    pub fn rows_to_cursor(&self) -> Vec<String> {
        let (t, cursor) = (&self.terminal, self.cursor());
        let mut rows = self.screen_rows();
        if let Some(row) = rows.get_mut(usize::from(cursor.row)) {
            let written = &t.buffers.grid.rows[usize::from(cursor.row)];
            let mut shown = String::new();
            push_columns(written, written.used().max(usize::from(cursor.col)), &t.interner, &mut shown);
            *row = shown;
        }
        rows
    }

    /// The visible rows as they were written, which differs from how double-width rows are drawn.
    fn written_rows(&self) -> impl Iterator<Item = RowView> {
        self.terminal.buffers.grid.rows.iter().map(|row| view(row, &self.terminal.interner))
    }

    /// The visible rows as spans.
    pub fn rows(&self) -> Vec<RowView> {
        let t = &self.terminal;
        t.buffers.grid.rows.iter().map(|row| drawn_row(row, t.buffers.grid.cols, &t.interner)).collect()
    }

    /// The visible screen as one text. Wrapped rows are one line if `joined`. Trailing blank rows are omitted.
    pub fn screen_text(&self, joined: bool) -> String {
        let mut text = String::new();
        let mut continues = false;
        for (at, row) in self.written_rows().enumerate() {
            if at > 0 && !continues {
                text.push('\n');
            }
            continues = joined && row.wrapped;
            match continues {
                true => row.spans.iter().for_each(|span| text.push_str(&span.text)),
                false => text.push_str(&row.text()),
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}
