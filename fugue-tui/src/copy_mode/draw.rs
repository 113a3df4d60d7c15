//! Drawing copy mode over its pane.

use fugue_protocol::{Rect, Size};
use fugue_screen::{Attrs, CursorShape, RowView};

use super::CopyMode;
use crate::draw::{self, ViewOrigin};
use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;

impl CopyMode {
    /// Draws the visible part of the pane, and the prompt or message on the status line.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas,
        place: Rect,
        (origin, room): (ViewOrigin, Size),
        bottom: u16,
    ) -> Option<TerminalCursor> {
        self.foot(canvas, bottom);
        self.draw_rows(canvas, place, (origin, room))
    }

    /// Draws the rows alone, and returns the cursor.
    pub(crate) fn draw_rows(
        &self,
        canvas: &mut Canvas,
        place: Rect,
        (origin, room): (ViewOrigin, Size),
    ) -> Option<TerminalCursor> {
        let (place, skip) = draw::visible_part(place, origin, room)?;
        let (begin, end) = (place.col, place.col + place.cols);
        for at in 0..place.rows {
            let (number, row) = (self.top + usize::from(skip.row + at), place.row + at);
            canvas.view(row, (begin, end), skip.col, self.rows.get(number).unwrap_or(&RowView::default()));
            if !self.colors.is_empty() {
                (begin..end).for_each(|col| canvas.restyle(row, col, |style| self.colors.apply_to(style)));
            }
            self.mark(canvas, number, row, (begin, end, skip.col));
        }
        if self.shows_position {
            self.count(canvas, place.row, end);
        }
        let (row, col) = self.cursor();
        let (row, col) = (row.checked_sub(skip.row)?, col.checked_sub(skip.col)?);
        let seen = row < place.rows && col < place.cols;
        let (row, col) = (place.row + row, begin + col);
        seen.then_some(TerminalCursor { row, col, shape: CursorShape::Block, blinking: false, color: None })
    }

    /// The cursor, as row and column of the pane.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        let row = u16::try_from(self.position.row.saturating_sub(self.top)).unwrap_or(u16::MAX);
        let last = self.size.cols.saturating_sub(1);
        (row, u16::try_from(self.position.col).unwrap_or(last).min(last))
    }

    /// Highlights matches and the selection.
    fn mark(&self, canvas: &mut Canvas, number: usize, row: u16, (begin, end, skip): (u16, u16, u16)) {
        let seen = |col: usize| {
            let col = u16::try_from(col).ok()?.checked_sub(skip)? + begin;
            (col < end).then_some(col)
        };
        for (first, last) in self.matches(number) {
            let found =
                canvas.style(if self.is_current(first) { ThemePart::CurrentMatch } else { ThemePart::Match });
            let begins = if first.row == number { first.col } else { 0 };
            let ends = if last.row == number { last.col } else { self.last_col(number) };
            for col in (begins..=ends).filter_map(seen) {
                canvas.restyle(row, col, |style| (style.fg, style.bg) = (found.fg, found.bg));
            }
        }
        if let Some((first, last)) = self.selected(number) {
            for col in (first..=last).filter_map(seen) {
                canvas.restyle(row, col, |style| style.attrs.insert(Attrs::REVERSE));
            }
        }
    }

    /// Draws the scroll position in the upper right corner.
    fn count(&self, canvas: &mut Canvas, row: u16, end: u16) {
        let past = self.rows.len().saturating_sub(self.height());
        let text = format!("[{}/{past}]", past.saturating_sub(self.top));
        canvas.text(row, end.saturating_sub(text.len() as u16), end, &text, canvas.style(ThemePart::Message));
    }

    fn foot(&self, canvas: &mut Canvas, bottom: u16) {
        let cols = canvas.size().cols;
        if let Some(line) = self.foot_line().filter(|_| bottom < canvas.size().rows) {
            canvas.fill(
                Rect { col: 0, row: bottom, cols, rows: 1 },
                &CanvasCell::blank(canvas.style(ThemePart::Message)),
            );
            canvas.text(bottom, 0, cols, &line, canvas.style(ThemePart::Message));
        }
    }
}
