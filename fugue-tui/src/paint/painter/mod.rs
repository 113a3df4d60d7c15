//! The painter: writes the difference between two frames, in one synchronized update.
//!
//! It is our own and not ratatui's: a frame here draws only the rows that changed and reuses the memory of the one before,
//! which decides how fast an echo is; it knows links and every kind of underline; and it does not rely on the terminal's
//! idea of a character's width, so that one odd character never shifts the rest of a row.

mod row_diff;

use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;

use fugue_protocol::{Rect, Size};
use fugue_screen::{CursorShape, LinkSchemes, Rgb, Style};

pub(crate) use self::row_diff::WrittenRun;
use self::row_diff::{changed, differs, run_end};
use super::canvas::Canvas;
use super::cell::{CanvasCell, Glyph};
use super::certain_widths::{has_certain_width, is_too_wide};
use super::charset::{self, TerminalCharset};
use super::color_depth::ColorDepth;
use super::dirty_rows::DirtyRows;
use super::sgr;
use crate::theme::Theme;
use crate::tty::raw_mode;

/// The number of blanks at a row's end from which on erasing is cheaper than writing.
const ERASE: usize = 4;

/// The number of cells behind the last changed one that may have to be written with it: a character reaches two cells
/// far.
const REACH: usize = 3;

/// The cursor as the terminal is to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminalCursor {
    pub(crate) row: u16,
    pub(crate) col: u16,
    pub(crate) shape: CursorShape,
    pub(crate) blinking: bool,
    /// A color of its own.
    pub(crate) color: Option<Rgb>,
}

/// What the terminal shows, as far as it is known.
pub(crate) struct Painter {
    shown: Option<Canvas>,
    /// The frame before that, in whose memory the next one is drawn.
    spare: Option<Canvas>,
    cursor: Option<TerminalCursor>,
    /// The cursor's color, where it is not the terminal's.
    color: Option<Rgb>,
    pen: Option<Style>,
    link: Option<Arc<str>>,
    /// The links that the terminal gets; others are drawn as text.
    schemes: LinkSchemes,
    /// Where the terminal writes next, if that is certain.
    at: Option<(u16, u16)>,
    cols: u16,
    rows: u16,
    /// The last rows of a frame that the terminal shows at the top instead.
    top_rows: u16,
    depth: ColorDepth,
    charset: TerminalCharset,
    out: Vec<u8>,
    /// The cells that the frame writes.
    written: Vec<WrittenRun>,
}

impl Painter {
    pub(crate) fn new(depth: ColorDepth) -> Self {
        let (shown, spare, cursor, pen) = (None, None, None, None);
        let (schemes, out, written) = (LinkSchemes::default(), Vec::new(), Vec::new());
        Self {
            shown,
            spare,
            cursor,
            color: None,
            pen,
            link: None,
            schemes,
            at: None,
            cols: 0,
            rows: 0,
            top_rows: 0,
            depth,
            charset: TerminalCharset::default(),
            out,
            written,
        }
    }

    /// The number of colors of the terminal.
    pub(crate) fn depth(&self) -> ColorDepth {
        self.depth
    }

    /// Sets the number of colors of the terminal.
    pub(crate) fn set_depth(&mut self, depth: ColorDepth) {
        if depth != self.depth {
            self.depth = depth;
            self.forget();
        }
    }

    /// Sets the characters that the terminal can show.
    pub(crate) fn set_charset(&mut self, charset: TerminalCharset) {
        self.charset = charset;
        self.forget();
    }

    /// Sets the schemes whose links the terminal gets.
    pub(crate) fn set_link_schemes(&mut self, schemes: &LinkSchemes) {
        if *schemes != self.schemes {
            self.schemes = schemes.clone();
            self.forget();
        }
    }

    /// Shows this many of a frame's last rows at the top, and the others below them.
    pub(crate) fn set_top_rows(&mut self, rows: u16) {
        if rows != self.top_rows {
            self.top_rows = rows;
            self.forget();
        }
    }

    /// Forgets what the terminal shows: the next frame is written whole.
    pub(crate) fn forget(&mut self) {
        let schemes = std::mem::take(&mut self.schemes);
        let (color, top_rows, charset) = (self.color, self.top_rows, self.charset);
        *self = Self { color, schemes, top_rows, charset, ..Self::new(self.depth) };
    }

    /// Forgets what the terminal shows in an area, which the next frame must draw.
    pub(crate) fn forget_area(&mut self, area: Rect) {
        self.shown.iter_mut().for_each(|shown| shown.spoil(area));
    }

    /// A frame to be drawn in these rows; in all rows, if what the terminal shows is not known.
    pub(crate) fn begin(&mut self, size: Size, theme: Rc<Theme>, rows: DirtyRows) -> Canvas {
        let known = self.shown.as_ref().is_some_and(|shown| shown.size() == size);
        let rows = if known { rows } else { DirtyRows::All };
        match self.spare.take().filter(|spare| spare.size() == size) {
            Some(mut canvas) => {
                canvas.open(rows, theme);
                canvas
            }
            None => Canvas::begun(size, rows, theme),
        }
    }

    /// The bytes that make the terminal show a frame; none if it already does.
    #[cfg(test)]
    pub(crate) fn paint(&mut self, next: Canvas, cursor: Option<TerminalCursor>) -> Vec<u8> {
        self.paint_with(next, cursor, |_, _, _| {})
    }

    /// The bytes that make the terminal show a frame, with more that is written after the text: images. `more` gets the
    /// cells that were written, and whether the terminal was cleared before.
    pub(crate) fn paint_with(
        &mut self,
        mut next: Canvas,
        cursor: Option<TerminalCursor>,
        more: impl FnOnce(&[WrittenRun], bool, &mut Vec<u8>),
    ) -> Vec<u8> {
        self.out.clear();
        self.written.clear();
        let whole = self.shown.as_ref().is_none_or(|shown| shown.size() != next.size());
        if whole {
            self.forget();
            self.out.extend_from_slice(b"\x1b[?25l\x1b[m\x1b[2J");
            self.shown = Some(Canvas::cleared(next.size()));
            self.pen = Some(Style::default());
            (self.cols, self.rows) = (next.size().cols, next.size().rows);
        }
        if let Some(mut shown) = self.shown.take() {
            self.rows(&shown, &next);
            shown.swap_drawn(&mut next);
            (self.shown, self.spare) = (Some(shown), Some(next).filter(|next| !next.is_cleared()));
        }
        let text = self.out.len();
        more(&self.written, whole, &mut self.out);
        if self.out.len() > text {
            self.at = None;
        }
        self.show_cursor(cursor, whole);
        match self.out.is_empty() {
            true => Vec::new(),
            false => [b"\x1b[?2026h", self.out.as_slice(), b"\x1b[?2026l"].concat(),
        }
    }

    fn rows(&mut self, shown: &Canvas, next: &Canvas) {
        for row in (0..next.size().rows).filter(|row| next.draws(*row)) {
            self.row(row, shown.row(row), next.row(row));
        }
        self.link(None);
    }

    fn row(&mut self, number: u16, before: &[CanvasCell], after: &[CanvasCell]) {
        let Some((first, last)) = changed(before, after) else { return };
        // Unless everything from the last change on is blank, there is nothing to erase.
        let used = match after[last..].iter().all(|cell| *cell == CanvasCell::default()) {
            true => after.iter().rposition(|cell| *cell != CanvasCell::default()).map_or(0, |at| at + 1),
            false => after.len(),
        };
        let erased = after.len() - used >= ERASE;
        let end = if erased { used } else { after.len().min(last + REACH) };
        let mut col = first;
        while let Some(first) = (col..end).find(|at| differs(before, after, *at)) {
            let begin = if after[first].width == 0 { first.saturating_sub(1) } else { first };
            col = run_end(before, after, first, end);
            self.run(number, begin, &after[begin..col]);
        }
        if erased {
            self.go(number, used as u16);
            self.set_style(&Style::default(), None);
            self.out.extend_from_slice(b"\x1b[K");
            self.written.push(WrittenRun { row: number, begin: used as u16, end: self.cols });
        }
    }

    fn run(&mut self, row: u16, col: usize, cells: &[CanvasCell]) {
        let mut col = col as u16;
        self.written.push(WrittenRun { row, begin: col, end: col + cells.len() as u16 });
        for cell in cells {
            if cell.width > 0 {
                self.go(row, col);
                self.make_room(row, col, cell);
                self.cell(cell);
                self.at = has_certain_width(cell).then_some((row, col + u16::from(cell.width)));
            }
            col += 1;
        }
        // After the last column a terminal waits to wrap: where it writes next is not certain.
        self.at = self.at.filter(|_| col < self.cols);
    }

    /// Blanks both cells of a character that may be wide or narrow: a terminal that takes it for narrow leaves the
    /// second as it was.
    fn make_room(&mut self, row: u16, col: u16, cell: &CanvasCell) {
        if cell.width == 2 && !has_certain_width(cell) {
            self.set_style(&cell.style, None);
            self.out.extend_from_slice(b"  ");
            self.at = None;
            self.go(row, col);
        }
    }

    fn cell(&mut self, cell: &CanvasCell) {
        self.set_style(&cell.style, cell.link());
        let mut utf8 = [0; 4];
        match cell.glyph() {
            _ if is_too_wide(cell) => self.out.push(b' '),
            // A screen from another host may hold anything.
            Glyph::Char(c) if c.is_control() => self.out.push(b' '),
            Glyph::Cluster(text) if text.chars().any(char::is_control) => self.out.push(b' '),
            glyph if self.charset == TerminalCharset::Ascii => {
                let c = if let Glyph::Char(c) = glyph { charset::ascii(c) } else { charset::UNKNOWN };
                self.out.extend(std::iter::repeat_n(c as u8, usize::from(cell.width)));
            }
            Glyph::Char(c) => self.out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
            Glyph::Cluster(text) => self.out.extend_from_slice(text.as_bytes()),
        }
    }

    fn go(&mut self, row: u16, col: u16) {
        if self.at != Some((row, col)) {
            let line = (row + self.top_rows) % self.rows.max(1);
            let _ = write!(self.out, "\x1b[{};{}H", line + 1, col + 1);
            self.at = Some((row, col));
        }
    }

    fn set_style(&mut self, style: &Style, link: Option<&Arc<str>>) {
        if self.pen != Some(*style) {
            sgr::write(&mut self.out, style, self.depth);
            self.pen = Some(*style);
        }
        self.link(link);
    }

    fn link(&mut self, link: Option<&Arc<str>>) {
        let link = link.filter(|link| self.schemes.allows(link));
        if self.link.as_ref() != link {
            let _ = write!(self.out, "\x1b]8;;{}\x1b\\", link.map_or("", |link| link));
            self.link = link.cloned();
        }
    }

    /// Sets the cursor's color for a program that chose one, and resets it after that.
    fn color(&mut self, color: Option<Rgb>, whole: bool) {
        let same = std::mem::replace(&mut self.color, color) == color;
        if same && !(whole && color.is_some()) {
            return;
        }
        raw_mode::set_cursor_colored(color.is_some());
        match color {
            Some((red, green, blue)) => {
                let _ = write!(self.out, "\x1b]12;#{red:02x}{green:02x}{blue:02x}\x1b\\");
            }
            None => self.out.extend_from_slice(raw_mode::RESET_CURSOR_COLOR.as_bytes()),
        }
    }

    fn show_cursor(&mut self, cursor: Option<TerminalCursor>, whole: bool) {
        let before = std::mem::replace(&mut self.cursor, cursor);
        let Some(now) = cursor else {
            if before.is_some() {
                self.out.extend_from_slice(b"\x1b[?25l");
            }
            return;
        };
        if before == cursor && self.out.is_empty() {
            return;
        }
        self.at = None;
        self.go(now.row, now.col);
        if before.map(|before| (before.shape, before.blinking)) != Some((now.shape, now.blinking)) {
            let _ = write!(self.out, "\x1b[{} q", 2 * now.shape as u8 + 2 - u8::from(now.blinking));
        }
        self.color(now.color, whole);
        if before.is_none() || whole {
            self.out.extend_from_slice(b"\x1b[?25h");
        }
    }
}

#[cfg(test)]
mod tests;
