//! From one picture to the next: only what changed is drawn and written, in one synchronized update.

use std::io::Write;
use std::rc::Rc;

use fugue_protocol::Size;
use fugue_screen::{CursorShape, Style};

use super::canvas::{Canvas, Cell, Glyph};
use super::depth::Depth;
use super::rows::Rows;
use super::sgr;
use super::sure::{is_cut, is_sure, reaching};
use crate::theme::Theme;

/// Unchanged cells between two changes that are cheaper written again than jumped over.
const GAP: usize = 4;

/// Blanks at a row's end from which on erasing is cheaper than writing.
const ERASE: usize = 4;

/// The cursor as the terminal is to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) row: u16,
    pub(crate) col: u16,
    pub(crate) shape: CursorShape,
    pub(crate) blinking: bool,
}

/// What the terminal shows, as far as we know.
pub(crate) struct Painter {
    shown: Option<Canvas>,
    /// The picture before that: the next one is drawn in its place.
    spare: Option<Canvas>,
    pointer: Option<Pointer>,
    pen: Option<Style>,
    link: Option<Rc<str>>,
    /// Where the terminal writes next, if that is sure.
    at: Option<(u16, u16)>,
    cols: u16,
    depth: Depth,
    out: Vec<u8>,
}

impl Painter {
    pub(crate) fn new(depth: Depth) -> Self {
        let (shown, spare, pointer, pen) = (None, None, None, None);
        Self { shown, spare, pointer, pen, link: None, at: None, cols: 0, depth, out: Vec::new() }
    }

    /// The terminal has other colours than was thought.
    pub(crate) fn set_depth(&mut self, depth: Depth) {
        if depth != self.depth {
            *self = Self::new(depth);
        }
    }

    /// The terminal may show anything: the next picture is drawn whole.
    pub(crate) fn forget(&mut self) {
        *self = Self::new(self.depth);
    }

    /// A picture to be drawn in these rows; in all, if the terminal's others are not known.
    pub(crate) fn begin(&mut self, size: Size, theme: Rc<Theme>, rows: Rows) -> Canvas {
        let known = self.shown.as_ref().is_some_and(|shown| shown.size() == size);
        let spare = self.spare.take().filter(|spare| spare.size() == size);
        let mut canvas = spare.unwrap_or_else(|| Canvas::new(size));
        canvas.open(if known { rows } else { Rows::All }, theme);
        canvas
    }

    /// The bytes that make the terminal show this; none when it does already.
    pub(crate) fn paint(&mut self, mut next: Canvas, pointer: Option<Pointer>) -> Vec<u8> {
        self.out.clear();
        let whole = self.shown.as_ref().is_none_or(|shown| shown.size() != next.size());
        if whole {
            self.forget();
            self.out.extend_from_slice(b"\x1b[?25l\x1b[m\x1b[2J");
            self.shown = Some(Canvas::new(next.size()));
            self.pen = Some(Style::default());
            self.cols = next.size().cols;
        }
        if let Some(mut shown) = self.shown.take() {
            self.rows(&shown, &next);
            shown.swap_drawn(&mut next);
            (self.shown, self.spare) = (Some(shown), Some(next));
        }
        self.show_pointer(pointer, whole);
        match self.out.is_empty() {
            true => Vec::new(),
            false => [b"\x1b[?2026h", self.out.as_slice(), b"\x1b[?2026l"].concat(),
        }
    }

    fn rows(&mut self, shown: &Canvas, next: &Canvas) {
        for row in (0..next.size().rows).filter(|row| next.draws(*row)) {
            if next.row(row) != shown.row(row) {
                self.row(row, shown.row(row), next.row(row));
            }
        }
        self.link(None);
    }

    fn row(&mut self, number: u16, before: &[Cell], after: &[Cell]) {
        let used = after.iter().rposition(|cell| *cell != Cell::default()).map_or(0, |at| at + 1);
        let erased =
            after.len() - used >= ERASE && before[used..].iter().any(|cell| *cell != Cell::default());
        let end = if erased { used } else { after.len() };
        let mut col = 0;
        while let Some(first) = (col..end).find(|at| differs(before, after, *at)) {
            let begin = if after[first].width == 0 { first.saturating_sub(1) } else { first };
            col = run_end(before, after, first, end);
            self.run(number, begin, &after[begin..col]);
        }
        if erased {
            self.go(number, used as u16);
            self.wear(&Style::default(), None);
            self.out.extend_from_slice(b"\x1b[K");
        }
    }

    fn run(&mut self, row: u16, col: usize, cells: &[Cell]) {
        let mut col = col as u16;
        for cell in cells {
            if cell.width > 0 {
                self.go(row, col);
                self.make_room(row, col, cell);
                self.cell(cell);
                self.at = is_sure(cell).then_some((row, col + u16::from(cell.width)));
            }
            col += 1;
        }
        // Behind the last column a terminal waits to wrap: where it writes next is not sure.
        self.at = self.at.filter(|_| col < self.cols);
    }

    /// A terminal that takes a wide character for a narrow one leaves its second cell as it was: both are blanked before.
    fn make_room(&mut self, row: u16, col: u16, cell: &Cell) {
        if cell.width == 2 && !is_sure(cell) {
            self.wear(&cell.style, None);
            self.out.extend_from_slice(b"  ");
            self.at = None;
            self.go(row, col);
        }
    }

    fn cell(&mut self, cell: &Cell) {
        self.wear(&cell.style, cell.link.as_ref());
        let mut utf8 = [0; 4];
        match &cell.glyph {
            _ if is_cut(cell) => self.out.push(b' '),
            Glyph::Char(c) => self.out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
            Glyph::Cluster(text) => self.out.extend_from_slice(text.as_bytes()),
        }
    }

    fn go(&mut self, row: u16, col: u16) {
        if self.at != Some((row, col)) {
            let _ = write!(self.out, "\x1b[{};{}H", row + 1, col + 1);
            self.at = Some((row, col));
        }
    }

    fn wear(&mut self, style: &Style, link: Option<&Rc<str>>) {
        if self.pen != Some(*style) {
            sgr::put(&mut self.out, style, self.depth);
            self.pen = Some(*style);
        }
        self.link(link);
    }

    fn link(&mut self, link: Option<&Rc<str>>) {
        if self.link.as_ref() != link {
            let _ = write!(self.out, "\x1b]8;;{}\x1b\\", link.map_or("", |link| link));
            self.link = link.cloned();
        }
    }

    fn show_pointer(&mut self, pointer: Option<Pointer>, whole: bool) {
        let before = std::mem::replace(&mut self.pointer, pointer);
        let Some(now) = pointer else {
            if before.is_some() {
                self.out.extend_from_slice(b"\x1b[?25l");
            }
            return;
        };
        if before == pointer && self.out.is_empty() {
            return;
        }
        self.at = None;
        self.go(now.row, now.col);
        if before.map(|before| (before.shape, before.blinking)) != Some((now.shape, now.blinking)) {
            let _ = write!(self.out, "\x1b[{} q", 2 * now.shape as u8 + 2 - u8::from(now.blinking));
        }
        if before.is_none() || whole {
            self.out.extend_from_slice(b"\x1b[?25h");
        }
    }
}

/// Whether a cell must be written: it changed, or what stands or stood before it and may reach over it did.
fn differs(before: &[Cell], after: &[Cell], at: usize) -> bool {
    let changed = |at: usize| before[at] != after[at];
    changed(at) || [before, after].into_iter().any(|cells| reaching(cells, at).is_some_and(changed))
}

/// The end of a run of changes that begins at `first`.
fn run_end(before: &[Cell], after: &[Cell], first: usize, end: usize) -> usize {
    let mut last = first;
    for at in first..end {
        if differs(before, after, at) {
            last = at;
        } else if at - last > GAP {
            break;
        }
    }
    // The second half of a wide character is written with its first.
    if after[last].width == 2 { (last + 2).min(end) } else { last + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::Rect;
    use fugue_screen::{Limits, Screen};

    fn rows_of(screen: &Screen) -> Vec<String> {
        screen.screen_rows()
    }

    #[test]
    fn a_terminal_shows_each_picture_after_the_other() {
        let size = Size::new(12, 3);
        let mut terminal =
            Screen::new(fugue_screen::Size { cols: size.cols, rows: size.rows }, Limits::default());
        let mut painter = Painter::new(Depth::True);
        for lines in
            [["one", "漢字かな", "three"], ["one", "漢x字かな", ""], ["full to here", "", "漢字漢字漢字"]]
        {
            let mut canvas = Canvas::new(size);
            for (row, line) in (0..).zip(lines) {
                canvas.text(row, 0, size.cols, line, Style::default());
            }
            terminal.feed(&painter.paint(canvas, None));
            assert_eq!(rows_of(&terminal), lines);
        }
    }

    #[test]
    fn behind_a_cluster_that_a_terminal_takes_for_narrow_nothing_old_is_seen() {
        let mut painter = Painter::new(Depth::True);
        let mut canvas = Canvas::new(Size::new(10, 1));
        canvas.text(0, 0, 10, "abcdefghij", Style::default());
        painter.paint(canvas.clone(), None);
        canvas.text(0, 2, 10, "\u{2601}\u{fe0f}", Style::default());
        assert_eq!(
            String::from_utf8_lossy(&painter.paint(canvas, None)),
            "\x1b[?2026h\x1b[1;3H  \x1b[1;3H\u{2601}\u{fe0f}\x1b[1;5He\x1b[?2026l"
        );
    }

    #[test]
    fn a_terminal_with_another_idea_of_widths_is_not_put_out() {
        let mut painter = Painter::new(Depth::True);
        let mut paint = |text: &str| {
            let mut canvas = painter.begin(Size::new(8, 1), Rc::default(), Rows::All);
            canvas.text(0, 0, 8, text, Style::default());
            String::from_utf8_lossy(&painter.paint(canvas, None)).into_owned()
        };
        assert!(
            paint("\u{2630}ab").contains("\x1b[1;1H  \x1b[1;1H\u{2630}\x1b[1;3Hab"),
            "each has its place"
        );
        let gone = paint("  ab");
        assert!(gone.contains("  a"), "what it may have covered is written again: {gone:?}");
        let mut canvas = Canvas::new(Size::new(2, 1));
        let flag = Glyph::Cluster("\u{1f1e9}\u{1f1ea}".into());
        canvas.put(0, 1, 2, Cell { glyph: flag, ..Cell::default() });
        let flag = Painter::new(Depth::True).paint(canvas, None);
        assert!(!String::from_utf8_lossy(&flag).contains('\u{1f1e9}'), "a flag needs two columns");
    }

    #[test]
    fn one_more_letter_costs_a_few_bytes() {
        let mut painter = Painter::new(Depth::True);
        let mut canvas = Canvas::new(Size::new(80, 24));
        painter.paint(canvas.clone(), None);
        canvas.text(3, 5, 80, "x", Style::default());
        assert_eq!(
            String::from_utf8_lossy(&painter.paint(canvas.clone(), None)),
            "\x1b[?2026h\x1b[4;6Hx\x1b[?2026l"
        );
        assert!(painter.paint(canvas, None).is_empty(), "nothing changed");
    }

    #[test]
    fn a_picture_of_some_rows_leaves_the_others_as_they_are() {
        let size = Size::new(12, 3);
        let mut terminal =
            Screen::new(fugue_screen::Size { cols: size.cols, rows: size.rows }, Limits::default());
        let mut painter = Painter::new(Depth::True);
        let mut show = |rows: Rows, words: &str| {
            let mut canvas = painter.begin(size, Rc::default(), rows);
            for row in 0..3 {
                canvas.text(row, 0, size.cols, words, Style::default());
            }
            canvas.fill(Rect { col: 8, row: 0, cols: 1, rows: 3 }, &Cell::of('|', Style::default()));
            terminal.feed(&painter.paint(canvas, None));
            rows_of(&terminal)
        };
        let second = || {
            let mut rows = Rows::none(3);
            rows.add(1);
            rows
        };
        assert_eq!(show(second(), "one"), ["one     |"; 3], "a terminal that is not known is painted whole");
        assert_eq!(show(second(), "two"), ["one     |", "two     |", "one     |"]);
        assert_eq!(show(Rows::none(3), "three"), ["one     |", "two     |", "one     |"]);
        assert_eq!(show(Rows::All, "four"), ["four    |"; 3]);
        assert_eq!(show(second(), "漢字"), ["four    |", "漢字    |", "four    |"]);
    }
}
