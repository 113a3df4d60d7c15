//! Text with its colors as SGR sequences. It is made from parsed cells: nothing that a program wrote is passed on as it
//! was.

use std::collections::VecDeque;

use crate::control::sgr_parameters;
use crate::link_schemes::LinkSchemes;
use crate::row_view::Span;
use crate::screen::Screen;
use crate::style::Style;

/// The addresses of links in one text, in bytes. Every cell may have one of two kilobytes; beyond this, text is not linked.
pub(super) const MOST_LINK_BYTES: usize = 4 << 20;

/// Lines are decompressed and unpacked in groups of this many: a line may have 64 KB.
const LINES_AT_ONCE: u64 = 64;

/// The end of a range of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastLinesAnsi {
    /// The number of the first of them.
    pub first: u64,
    /// The lines.
    pub lines: Vec<String>,
}

impl Screen {
    /// The visible rows with their styles as SGR sequences.
    pub fn screen_ansi(&self) -> Vec<String> {
        let mut links_left = MOST_LINK_BYTES;
        self.rows().iter().map(|row| line(&row.spans, &mut links_left)).collect()
    }

    /// Logical lines `from..to` with their styles as SGR sequences.
    pub fn lines_ansi(&self, from: u64, to: u64) -> Vec<String> {
        self.last_lines_ansi(from, to, usize::MAX).lines
    }

    /// The last of the lines `from..to`, until they have `most` bytes together. The one that exceeds this is the first.
    pub fn last_lines_ansi(&self, from: u64, to: u64, most: usize) -> LastLinesAnsi {
        let (from, to) = (from.max(self.first_line()), to.min(self.end().line.saturating_add(1)));
        let (mut lines, mut first, mut bytes) = (VecDeque::new(), to.max(from), 0);
        let mut links_left = MOST_LINK_BYTES;
        while first > from && bytes <= most {
            let start = first.saturating_sub(LINES_AT_ONCE).max(from);
            let end = std::mem::replace(&mut first, start);
            for styled in self.styled_lines_back(start, end) {
                lines.push_front(line(&styled.spans, &mut links_left));
                bytes += lines[0].len() + 1;
                first = styled.number;
                if bytes > most {
                    break;
                }
            }
        }
        LastLinesAnsi { first, lines: lines.into() }
    }
}

/// A line. `links_left` is how many bytes the addresses of its links may have.
pub(super) fn line(spans: &[Span], links_left: &mut usize) -> String {
    let mut out = String::new();
    let mut last = (Style::default(), None);
    for span in spans {
        // What is printed here reaches a terminal that no client guards.
        let link = span.link.as_deref().filter(|link| LinkSchemes::default().allows(link));
        let link = link.filter(|link| Some(*link) == last.1 || link.len() <= *links_left);
        if link != last.1 {
            *links_left -= link.map_or(0, str::len);
            out.push_str(&format!("\x1b]8;;{}\x1b\\", link.unwrap_or_default()));
        }
        if span.style != last.0 {
            out.push_str(&format!("\x1b[{}m", sgr_parameters(&span.style)));
        }
        out.push_str(&span.text);
        last = (span.style, link);
    }
    if last.1.is_some() {
        out.push_str("\x1b]8;;\x1b\\");
    }
    if last.0 != Style::default() {
        out.push_str("\x1b[0m");
    }
    out
}
