//! The last lines of a range of a pane's text, what is before them, and what is no longer kept.

use fugue_protocol::verbs::OutputCursor;
use fugue_protocol::views::DroppedOutput;
use fugue_protocol::{ansi_text, text_tail};
use fugue_screen::{DropReason, LastLinesAnsi, Position, Screen};

/// The most text in a reply; the newest is kept.
const MAX_BYTES: usize = 16 << 20;

/// A range of a pane's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineRange {
    pub(crate) from: Position,
    pub(crate) to: Position,
}

impl LineRange {
    /// The number of the line after the last one. The empty line that a final newline begins is not one.
    pub(super) fn end_line(self) -> u64 {
        match self.to {
            Position { line, offset: 0 } if line > self.from.line => line,
            Position { line, .. } => line + 1,
        }
    }

    /// Returns the part of the range that is no longer kept.
    pub(crate) fn dropped(self, screen: &Screen) -> Option<DroppedOutput> {
        let lines = screen.first_line().min(self.end_line()).saturating_sub(self.from.line);
        dropped_lines(lines, screen)
    }
}

/// Describes output of that many lines that is no longer kept.
pub(crate) fn dropped_lines(lines: u64, screen: &Screen) -> Option<DroppedOutput> {
    let limits = screen.history_limits();
    let reason = screen.drop_reason().map(|reason| match reason {
        DropReason::LineLimit => format!("history_lines = {}", limits.lines),
        DropReason::ByteLimit => format!("history_bytes = {}", limits.bytes),
        DropReason::Cleared => "the history was cleared".into(),
    });
    let before = cursor(Position { line: screen.first_line(), offset: 0 }).to_string();
    (lines > 0).then_some(DroppedOutput { lines, before, reason })
}

/// The last lines of a range.
pub(crate) struct LastLines {
    /// Their text; it ends with a newline if the range does.
    pub(crate) text: String,
    /// Where they begin.
    pub(crate) start: Position,
}

/// Returns the last lines of a range, with colors as escape sequences or without.
pub(crate) fn last_lines(screen: &Screen, range: LineRange, lines: usize, ansi: bool) -> LastLines {
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
    /// Returns how many lines of the range are kept before these, and how many bytes.
    pub(crate) fn missing(&self, screen: &Screen, range: LineRange) -> (u64, u64) {
        let from = range.from.max(Position { line: screen.first_line(), offset: 0 });
        let lines = self.start.line.saturating_sub(from.line);
        let bytes = screen.text_bytes(from.line, self.start.line);
        let bytes = (bytes + self.start.offset).saturating_sub(from.offset);
        (lines, bytes as u64)
    }
}

/// Converts a position of the screen to a cursor.
pub(crate) fn cursor(position: Position) -> OutputCursor {
    OutputCursor::new(position.line, position.offset)
}

/// Converts a cursor to a position of the screen.
pub(crate) fn position(cursor: OutputCursor) -> Position {
    Position { line: cursor.line, offset: cursor.offset }
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
    fn lines_that_are_no_longer_kept_are_counted_apart_from_those_that_are_not_shown() {
        let limits = Limits { lines: 20, bytes: usize::MAX };
        let mut screen = Screen::new(Size { cols: 10, rows: 5 }, limits);
        (0..100).for_each(|number| screen.feed(format!("line {number}\r\n").as_bytes()));
        let last = last_lines(&screen, all(&screen), 4, false);
        assert_eq!((screen.first_line(), last.start.line), (76, 96));
        assert_eq!(last.missing(&screen, all(&screen)), (20, 20 * 8));
        let dropped = |from, to: Position| {
            let range = LineRange { from: Position { line: from, offset: 0 }, to };
            range.dropped(&screen).map(|dropped| dropped.to_string())
        };
        let described =
            |lines| Some(format!("{lines} lines before 76:0 are no longer kept (history_lines = 20)"));
        assert_eq!(dropped(0, screen.end()), described(76));
        assert_eq!(dropped(10, screen.end()), described(66));
        assert_eq!(dropped(0, Position { line: 3, offset: 0 }), described(3));
        assert_eq!(dropped(76, screen.end()), None);
        screen.clear_history();
        let cleared = all(&screen).dropped(&screen).map(|dropped| dropped.to_string());
        assert_eq!(
            cleared.as_deref(),
            Some("96 lines before 96:0 are no longer kept (the history was cleared)")
        );
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
