//! The last lines of a range of a pane's text, and what is before them.

use fugue_protocol::{ansi_text, text_tail};
use fugue_screen::{LastLinesAnsi, Position, Screen};

use super::text_position::{cursor, position};

/// The most text in a reply; the newest is kept.
const MAX_BYTES: usize = 16 << 20;

/// A range of a pane's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRange {
    pub(super) from: Position,
    pub(super) to: Position,
}

impl LineRange {
    /// The number of the line after the last one. The empty line that a final newline begins is not one.
    pub(super) fn end_line(self) -> u64 {
        match self.to {
            Position { line, offset: 0 } if line > self.from.line => line,
            Position { line, .. } => line + 1,
        }
    }
}

/// The last lines of a range.
pub(super) struct LastLines {
    /// Their text; it ends with a newline if the range does.
    pub(super) text: String,
    /// Where they begin.
    pub(super) start: Position,
}

/// Returns the last lines of a range, with colors as escape sequences or without.
pub(super) fn last_lines(screen: &Screen, range: LineRange, lines: usize, ansi: bool) -> LastLines {
    let first = range.end_line().saturating_sub(lines as u64);
    let oldest = Position { line: screen.first_line(), offset: 0 };
    let start = range.from.max(Position { line: first, offset: 0 }).max(oldest).min(range.to);
    let (start, text) = match ansi {
        true => colored(screen, start, range.to),
        false => (start, screen.text_between(start, range.to)),
    };
    if text.len() <= MAX_BYTES {
        return LastLines { start, text };
    }
    let tail = text_tail::tail(&text, cursor(start), MAX_BYTES);
    LastLines { start: position(tail.start), text: tail.text.to_owned() }
}

/// Returns the text between two positions with colors, and where it begins. Of a text that is too long for a reply, it is
/// the end.
fn colored(screen: &Screen, from: Position, to: Position) -> (Position, String) {
    let LastLinesAnsi { first, mut lines } = screen.last_lines_ansi(from.line, to.line + 1, MAX_BYTES);
    let start = from.max(Position { line: first, offset: 0 }).min(to);
    let last = lines.len().saturating_sub(1);
    if let Some(line) = lines.get_mut(last).filter(|_| first + last as u64 == to.line) {
        *line = ansi_text::slice(line, 0, to.offset);
    }
    if let Some(line) = lines.first_mut() {
        *line = ansi_text::slice(line, start.offset, usize::MAX);
    }
    (start, lines.join("\n"))
}

impl LastLines {
    /// Returns how many lines of the range are before these, and how many bytes of them are kept.
    pub(super) fn missing(&self, screen: &Screen, range: LineRange) -> (u64, u64) {
        let lines = self.start.line.saturating_sub(range.from.line);
        let bytes = screen.text_bytes(range.from.line, self.start.line);
        let bytes = (bytes + self.start.offset).saturating_sub(range.from.offset);
        (lines, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};

    use super::*;

    fn screen(text: &str) -> Screen {
        let mut screen = Screen::new(Size { cols: 10, rows: 5 }, Limits::default());
        screen.feed(text.as_bytes());
        screen
    }

    fn all(screen: &Screen) -> LineRange {
        LineRange { from: Position::default(), to: screen.end() }
    }

    #[test]
    fn the_empty_line_after_a_final_newline_is_not_the_last_line() {
        let screen = screen("one\r\ntwo\r\n");
        let last = last_lines(&screen, all(&screen), 1, false);
        assert_eq!((last.text.as_str(), last.start.line), ("two\n", 1));
        assert_eq!(last.missing(&screen, all(&screen)), (1, 4));
    }

    #[test]
    fn a_range_may_begin_and_end_inside_a_line() {
        let screen = screen("0123456789abcdef\r\n\u{1b}[1mbold\u{1b}[m text");
        let range = LineRange { from: Position { line: 0, offset: 12 }, to: Position { line: 1, offset: 6 } };
        assert_eq!(last_lines(&screen, range, 9, false).text, "cdef\nbold t");
        let colored = last_lines(&screen, range, 9, true).text;
        assert_eq!(ansi_text::visible_bytes(&colored), "cdef\nbold t".len(), "{colored:?}");
    }
}
