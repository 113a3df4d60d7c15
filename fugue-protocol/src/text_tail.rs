//! The end of a text that is too long for a reply: what fits, where it begins, and what was cut before it.

use crate::ansi_text::visible_bytes;
use crate::verbs::OutputCursor;

/// The end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextTail<'a> {
    /// What fits.
    pub text: &'a str,
    /// Where it begins in the pane's output.
    pub start: OutputCursor,
    /// The number of line ends in what was cut.
    pub lines: u64,
    /// The number of bytes that were cut.
    pub bytes: u64,
}

/// Returns the last `most` bytes of a text that begins at this cursor. It begins with a whole line, unless that would
/// leave out most of what fits.
pub fn tail(text: &str, start: OutputCursor, most: usize) -> TextTail<'_> {
    let begin = if text.len() <= most { 0 } else { begin(text, most) };
    let (cut, text) = text.split_at(begin);
    let lines = cut.matches('\n').count() as u64;
    let in_line = visible_bytes(cut.rsplit('\n').next().unwrap_or_default());
    let offset = if lines == 0 { start.offset + in_line } else { in_line };
    TextTail { text, start: OutputCursor::new(start.line + lines, offset), lines, bytes: begin as u64 }
}

fn begin(text: &str, most: usize) -> usize {
    let earliest = text.ceil_char_boundary(text.len() - most);
    let line_end = text.as_bytes()[earliest - 1..].iter().position(|byte| *byte == b'\n');
    let line = line_end.map(|at| earliest + at).filter(|line| text.len() - line >= most / 2);
    line.unwrap_or(earliest)
}

/// The words for what was cut: `3 lines (120 bytes)`, or bytes alone if they are part of one line.
pub fn amount(lines: u64, bytes: u64) -> String {
    let count = |number, one| if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") };
    match lines {
        0 => count(bytes, "byte"),
        lines => format!("{} ({})", count(lines, "line"), count(bytes, "byte")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, most: usize) -> (&str, String, u64, u64) {
        let tail = tail(text, OutputCursor::new(7, 2), most);
        (tail.text, tail.start.to_string(), tail.lines, tail.bytes)
    }

    #[test]
    fn a_text_that_fits_is_whole() {
        assert_eq!(cut("abc", 3), ("abc", "7:2".into(), 0, 0));
    }

    #[test]
    fn whole_lines_are_cut_where_that_leaves_enough() {
        assert_eq!(cut("aaa\nbbb\nccc\n", 9), ("bbb\nccc\n", "8:0".into(), 1, 4));
        assert_eq!(cut("aaa\nbbb\nccc\n", 8), ("bbb\nccc\n", "8:0".into(), 1, 4));
    }

    #[test]
    fn a_long_line_is_cut_where_it_no_longer_fits() {
        assert_eq!(cut("aaaaaaaéé", 3), ("é", "7:11".into(), 0, 9));
        assert_eq!(cut("0123456789\nok\n", 8), ("6789\nok\n", "7:8".into(), 0, 6));
        assert_eq!(cut("x\n0123456789", 4), ("6789", "8:6".into(), 1, 8));
    }

    #[test]
    fn what_was_cut_is_counted_in_lines_and_bytes() {
        assert_eq!(amount(0, 1), "1 byte");
        assert_eq!(amount(1, 20), "1 line (20 bytes)");
        assert_eq!(amount(12, 300), "12 lines (300 bytes)");
    }
}
