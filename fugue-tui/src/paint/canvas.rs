//! A frame in cells. Whatever is drawn over a wide character, it is whole or gone. A frame that differs from the last
//! one in a few rows is drawn in those alone: drawing elsewhere has no effect.

use std::rc::Rc;

use fugue_protocol::{Rect, Size};
use fugue_screen::{RowView, Span, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::cell::{CanvasCell, Glyph, RareParts};
use super::dirty_rows::DirtyRows;
use crate::theme::{Theme, ThemePart};

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Canvas {
    size: Size,
    theme: Rc<Theme>,
    cells: Vec<CanvasCell>,
    /// The one row of a frame that is blank and has no cells of its own; else empty.
    blank_row: Vec<CanvasCell>,
    rows: DirtyRows,
}

impl Canvas {
    pub(crate) fn new(size: Size) -> Self {
        Self::begun(size, DirtyRows::All, Rc::default())
    }

    /// A blank frame, to be drawn in these rows.
    pub(super) fn begun(size: Size, rows: DirtyRows, theme: Rc<Theme>) -> Self {
        let cells = vec![CanvasCell::default(); usize::from(size.cols) * usize::from(size.rows)];
        Self { size, theme, cells, blank_row: Vec::new(), rows }
    }

    /// What a terminal shows after it was cleared. It cannot be drawn on; the memory for that would have to be filled, which
    /// takes a noticeable part of the time to attach.
    pub(super) fn cleared(size: Size) -> Self {
        let blank_row = vec![CanvasCell::default(); usize::from(size.cols)];
        Self { size, theme: Rc::default(), cells: Vec::new(), blank_row, rows: DirtyRows::All }
    }

    pub(super) fn is_cleared(&self) -> bool {
        self.cells.is_empty()
    }

    /// Blanks these rows, to be drawn in a theme; drawing in the others has no effect.
    pub(crate) fn open(&mut self, rows: DirtyRows, theme: Rc<Theme>) {
        self.theme = theme;
        self.rows = rows;
        for row in (0..self.size.rows).filter(|row| self.rows.has(*row)) {
            let cols = usize::from(self.size.cols);
            self.cells[usize::from(row) * cols..][..cols].fill(CanvasCell::default());
        }
    }

    /// Whether a row is drawn.
    pub(crate) fn draws(&self, row: u16) -> bool {
        self.rows.has(row)
    }

    /// Swaps the rows that another frame of the same size has drawn with the same rows of this one.
    pub(crate) fn swap_drawn(&mut self, other: &mut Self) {
        match other.rows {
            DirtyRows::All => return std::mem::swap(self, other),
            _ if self.is_cleared() => *self = Self::new(self.size),
            _ => {}
        }
        let cols = usize::from(self.size.cols);
        for row in (0..self.size.rows).filter(|row| other.rows.has(*row)) {
            let cells = usize::from(row) * cols..(usize::from(row) + 1) * cols;
            self.cells[cells.clone()].swap_with_slice(&mut other.cells[cells]);
        }
    }

    /// Makes the cells of an area differ from all others, so that they are written again.
    pub(crate) fn spoil(&mut self, area: Rect) {
        let cols = usize::from(self.size.cols);
        for row in area.row..(area.row + area.rows).min(self.size.rows) {
            let cells = &mut self.cells[usize::from(row) * cols..][..cols];
            let end = usize::from(area.col + area.cols).min(cols);
            cells[usize::from(area.col).min(end)..end].fill(CanvasCell::of('\0', Style::default()));
        }
    }

    /// The style of a part of the theme.
    pub(crate) fn style(&self, part: ThemePart) -> Style {
        self.theme.of(part)
    }

    /// The style of a part in a row that may be the selected one.
    pub(crate) fn row_style(&self, part: ThemePart, is_chosen: bool) -> Style {
        if is_chosen { self.theme.on_chosen(part) } else { self.theme.of(part) }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn row(&self, row: u16) -> &[CanvasCell] {
        if self.is_cleared() && row < self.size.rows {
            return &self.blank_row;
        }
        let cols = usize::from(self.size.cols);
        self.cells.get(usize::from(row) * cols..(usize::from(row) + 1) * cols).unwrap_or_default()
    }

    /// The text of a row.
    #[cfg(test)]
    pub(crate) fn text_of(&self, row: u16) -> String {
        let cells = self.row(row).iter().filter(|cell| cell.width > 0);
        cells
            .map(|cell| match cell.glyph() {
                Glyph::Char(c) => c.to_string(),
                Glyph::Cluster(text) => text.to_owned(),
            })
            .collect()
    }

    /// The character in a cell, if it is a single one.
    pub(crate) fn char_at(&self, row: u16, col: u16) -> Option<char> {
        match self.row(row).get(usize::from(col))?.glyph() {
            Glyph::Char(c) => Some(c),
            Glyph::Cluster(_) => None,
        }
    }

    /// Changes the style of a cell.
    pub(crate) fn restyle(&mut self, row: u16, col: u16, change: impl Fn(&mut Style)) {
        if let Some(at) = self.at(row, col) {
            change(&mut self.cells[at].style);
        }
    }

    fn at(&self, row: u16, col: u16) -> Option<usize> {
        let inside = row < self.size.rows && col < self.size.cols && self.rows.has(row);
        inside.then(|| usize::from(row) * usize::from(self.size.cols) + usize::from(col))
    }

    /// Puts a cell; a wide one that does not fit before `end` becomes a blank.
    pub(crate) fn put(&mut self, row: u16, col: u16, end: u16, cell: CanvasCell) {
        let end = end.min(self.size.cols);
        let Some(at) = self.at(row, col).filter(|_| col < end) else { return };
        self.blank_halves(row, col);
        if cell.width < 2 {
            self.blank_halves(row, col + 1);
            self.cells[at] = cell;
        } else if col + 1 < end {
            self.blank_halves(row, col + 2);
            self.cells[at + 1] = CanvasCell { width: 0, ..CanvasCell::blank(cell.style) };
            self.cells[at] = cell;
        } else {
            self.blank_halves(row, col + 1);
            self.cells[at] = CanvasCell::blank(cell.style);
        }
    }

    /// Blanks both halves of a wide character that would be cut in two before `col`.
    fn blank_halves(&mut self, row: u16, col: u16) {
        let Some(at) = self.at(row, col).filter(|at| self.cells[*at].width == 0) else { return };
        self.cells[at] = CanvasCell::blank(self.cells[at].style);
        if col > 0 {
            self.cells[at - 1] = CanvasCell::blank(self.cells[at - 1].style);
        }
    }

    pub(crate) fn fill(&mut self, area: Rect, cell: &CanvasCell) {
        for row in area.row..area.row.saturating_add(area.rows).min(self.size.rows) {
            if !self.rows.has(row) {
                continue;
            }
            for col in area.col..area.col.saturating_add(area.cols).min(self.size.cols) {
                self.put(row, col, self.size.cols, cell.clone());
            }
        }
    }

    /// Draws text up to column `end`, and returns the column after it.
    pub(crate) fn text(&mut self, row: u16, col: u16, end: u16, text: &str, style: Style) -> u16 {
        let mut col = col;
        if !self.rows.has(row) {
            return col;
        }
        for piece in text.graphemes(true) {
            let width = piece.width().min(2) as u8;
            if width == 0 || piece.chars().any(char::is_control) {
                continue;
            }
            if col + u16::from(width) > end.min(self.size.cols) {
                break;
            }
            self.put(row, col, end, CanvasCell::of_text(piece, style, width));
            col += u16::from(width);
        }
        col
    }

    /// Draws text as [`Self::text`] does; text that does not fit ends in an ellipsis.
    pub(crate) fn truncated_text(&mut self, row: u16, col: u16, end: u16, text: &str, style: Style) -> u16 {
        let end = end.min(self.size.cols);
        if usize::from(end.saturating_sub(col)) >= text.width() || col >= end {
            return self.text(row, col, end, text, style);
        }
        let after = self.text(row, col, end - 1, text, style);
        self.text(row, after, end, "…", style)
    }

    /// Draws a row of a screen from column `skip` on into columns `col..end`, and blanks the rest of them.
    pub(crate) fn view(&mut self, row: u16, (col, end): (u16, u16), skip: u16, view: &RowView) {
        let end = end.min(self.size.cols);
        let Some(begin) = self.at(row, col).filter(|_| col < end) else { return };
        self.blank_halves(row, col);
        self.blank_halves(row, end);
        let place = &mut self.cells[begin..begin + usize::from(end - col)];
        let mut at = -isize::try_from(skip).unwrap_or(0);
        for span in &view.spans {
            each_cell(span, |cell| {
                set(place, at, cell);
                at += isize::from(span.width);
            });
        }
        let used = usize::try_from(at).unwrap_or(0).min(place.len());
        place[used..].fill(CanvasCell::default());
    }
}

/// Sets a cell of a range that is written from left to right; what the ends of the range would cut becomes a blank.
fn set(place: &mut [CanvasCell], at: isize, cell: CanvasCell) {
    let wide = cell.width == 2;
    let (first, second) = (usize::try_from(at), usize::try_from(at + 1));
    let fits = !wide || second.is_ok_and(|at| at < place.len());
    if let Some(second) = second.ok().filter(|_| wide).and_then(|at| place.get_mut(at)) {
        // After a first half that was cut off there is a blank.
        let width = u8::from(first.is_err());
        *second =
            CanvasCell { width, ..CanvasCell::blank(if width == 0 { cell.style } else { Style::default() }) };
    }
    if let Some(first) = first.ok().and_then(|at| place.get_mut(at)) {
        *first = if fits { cell } else { CanvasCell::blank(cell.style) };
    }
}

fn each_cell(span: &Span, mut put: impl FnMut(CanvasCell)) {
    let link = span.link.clone();
    if span.cluster {
        let rare = Some(Rc::new(RareParts { cluster: Some(span.text.as_str().into()), link }));
        put(CanvasCell { style: span.style, width: span.width, rare, ..CanvasCell::default() });
    } else {
        let rare = link.map(|link| Rc::new(RareParts { cluster: None, link: Some(link) }));
        let of = |c| CanvasCell { width: span.width, rare: rare.clone(), ..CanvasCell::of(c, span.style) };
        span.text.chars().for_each(|c| put(of(c)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(canvas: &Canvas) -> String {
        canvas.text_of(0)
    }

    #[test]
    fn a_wide_character_is_drawn_whole_or_not_at_all() {
        let mut canvas = Canvas::new(Size::new(6, 1));
        canvas.text(0, 0, 6, "漢字漢", Style::default());
        assert_eq!(shown(&canvas), "漢字漢");
        canvas.put(0, 3, 6, CanvasCell::of('│', Style::default()));
        assert_eq!(shown(&canvas), "漢 │漢");
        canvas.text(0, 5, 6, "字", Style::default());
        assert_eq!(shown(&canvas), "漢 │漢", "what does not fit is omitted");
    }

    #[test]
    fn text_that_does_not_fit_ends_in_an_ellipsis() {
        let mut canvas = Canvas::new(Size::new(6, 1));
        assert_eq!(canvas.truncated_text(0, 0, 6, "sixsix", Style::default()), 6);
        assert_eq!(shown(&canvas), "sixsix");
        canvas.truncated_text(0, 0, 6, "one two", Style::default());
        assert_eq!(shown(&canvas), "one t…");
        canvas.text(0, 0, 6, "......", Style::default());
        canvas.truncated_text(0, 0, 4, "漢字漢", Style::default());
        assert_eq!(shown(&canvas), "漢….. ".replace(' ', "."), "a wide one is whole or gone");
    }

    #[test]
    fn a_row_is_cropped_at_both_ends() {
        let span = |text: &str, width| Span { text: text.into(), width, ..Span::default() };
        let view = RowView { spans: vec![span("ab", 1), span("漢字", 2), span("cd", 1)], wrapped: false };
        let mut canvas = Canvas::new(Size::new(6, 1));
        canvas.text(0, 0, 6, "......", Style::default());
        canvas.view(0, (1, 5), 3, &view);
        assert_eq!(shown(&canvas), ". 字c.");
    }
}
