//! Drawing the past over its pane.

use fugue_protocol::Rect;
use fugue_screen::{Attrs, CursorShape, RowView};

use super::CopyMode;
use crate::picture::{Canvas, Cell, Pointer};
use crate::theme::Part;
use crate::tree::Tree;

impl CopyMode {
    pub(crate) fn draw(&self, canvas: &mut Canvas, tree: &Tree, bottom: u16) -> Option<Pointer> {
        let place = tree.find_pane(self.pane)?.place;
        let (begin, end) = (place.col, place.col + place.cols);
        for at in 0..place.rows.min(bottom.saturating_sub(place.row)) {
            let (number, row) = (self.top + usize::from(at), place.row + at);
            canvas.view(row, (begin, end), 0, self.rows.get(number).unwrap_or(&RowView::default()));
            self.mark(canvas, number, row, begin);
        }
        if self.shows_position {
            self.count(canvas, place.row, end);
        }
        self.foot(canvas, bottom);
        let row = place.row + u16::try_from(self.spot.row.saturating_sub(self.top)).ok()?;
        let col = begin + (self.spot.col as u16).min(place.cols.saturating_sub(1));
        (row < bottom).then_some(Pointer { row, col, shape: CursorShape::Block, blinking: false })
    }

    /// Matches and the selection.
    fn mark(&self, canvas: &mut Canvas, number: usize, row: u16, begin: u16) {
        for (first, last) in self.matches(number) {
            let found = canvas.look(if self.is_current(first) { Part::FoundHere } else { Part::Found });
            let begins = if first.row == number { first.col } else { 0 };
            let ends = if last.row == number { last.col } else { self.last_col(number) };
            for col in begins..=ends {
                canvas.restyle(row, begin + col as u16, |style| (style.fg, style.bg) = (found.fg, found.bg));
            }
        }
        if let Some((first, last)) = self.selected(number) {
            for col in first..=last {
                canvas.restyle(row, begin + col as u16, |style| style.attrs.insert(Attrs::REVERSE));
            }
        }
    }

    /// How far back one looks, in the upper right corner.
    fn count(&self, canvas: &mut Canvas, row: u16, end: u16) {
        let past = self.rows.len().saturating_sub(self.height());
        let text = format!("[{}/{past}]", past.saturating_sub(self.top));
        canvas.text(row, end.saturating_sub(text.len() as u16), end, &text, canvas.look(Part::Message));
    }

    fn foot(&self, canvas: &mut Canvas, bottom: u16) {
        let cols = canvas.size().cols;
        if let Some(line) = self.foot_line().filter(|_| bottom < canvas.size().rows) {
            canvas
                .fill(Rect { col: 0, row: bottom, cols, rows: 1 }, &Cell::blank(canvas.look(Part::Message)));
            canvas.text(bottom, 0, cols, &line, canvas.look(Part::Message));
        }
    }
}
