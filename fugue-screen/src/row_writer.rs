//! Writes a run of text into one row at once, marks and emoji included. What it does not take is left to the slow path,
//! character by character; both lead to the same row.

use crate::cell::{Cell, TAIL, WIDE};
use crate::char_width::{self, LoneWidths};
use crate::interner::{Interner, Joined};

pub(crate) struct RowWriter<'a> {
    /// The cells of the row that may be written.
    pub cells: &'a mut [Cell],
    pub interner: &'a mut Interner,
    pub pen: Cell,
    /// Whether emoji are joined (mode 2027).
    pub by_rules: bool,
    /// The column of the next character.
    pub col: usize,
    /// The column of the last character.
    pub last_at: usize,
    /// The last character that was written, for REP.
    pub last: Option<char>,
    /// Whether the last character ends in a joiner and may continue.
    pub open: bool,
}

impl RowWriter<'_> {
    /// Writes as much of a text as fits into the row. Returns the number of bytes written.
    pub(crate) fn take(&mut self, text: &str, lone: &LoneWidths) -> usize {
        let mut taken = self.take_plain(text, lone);
        while let Some(c) = text[taken..].chars().next() {
            let width = lone.of(c);
            let took =
                if width > 0 && !self.open { self.place(c, width) } else { self.join_or_place(c, width) };
            if !took {
                break;
            }
            taken += c.len_utf8();
            taken += self.take_plain(&text[taken..], lone);
        }
        taken
    }

    /// Writes characters that stand alone, as nearly all do, with everything in registers.
    #[inline]
    fn take_plain(&mut self, text: &str, lone: &LoneWidths) -> usize {
        if self.open {
            return 0;
        }
        let (pen, from) = (self.pen, self.col);
        let mut rest = text.as_bytes();
        let mut cells = self.cells.get_mut(from..).unwrap_or_default();
        let (mut last, mut width) = (0, 0);
        while let Some((code, after)) = decoded(rest) {
            cells = match (lone.of_code(code), cells) {
                (1, [only, others @ ..]) => {
                    *only = pen.with_code(code);
                    width = 1;
                    others
                }
                (2, [first, second, others @ ..]) => {
                    *first = pen.with_code(code).with_flags(WIDE);
                    *second = pen.with_flags(TAIL);
                    width = 2;
                    others
                }
                (_, others) => {
                    cells = others;
                    break;
                }
            };
            (last, rest) = (code, after);
        }
        let left = cells.len();
        if width > 0 {
            self.col = self.cells.len() - left;
            self.last_at = self.col - width;
            self.last = char::from_u32(last);
        }
        text.len() - rest.len()
    }

    #[inline]
    fn place(&mut self, c: char, width: usize) -> bool {
        if !self.set(self.col, self.pen.with_char(c), width) {
            return false;
        }
        self.last_at = self.col;
        self.last = Some(c);
        self.open = false;
        self.col += width;
        true
    }

    /// Writes a cell of one or two columns if there is room.
    #[inline]
    fn set(&mut self, col: usize, cell: Cell, width: usize) -> bool {
        match self.cells.get_mut(col..col + width) {
            Some([only]) => *only = cell,
            Some([first, second]) => {
                *first = cell.with_flags(WIDE);
                *second = cell.with_code(0).with_flags(TAIL);
            }
            _ => return false,
        }
        true
    }

    fn join_or_place(&mut self, c: char, width: usize) -> bool {
        let half = char_width::is_emoji_part(c);
        let cell = self.cells[self.last_at];
        let joined = match self.by_rules || char_width::of_char(c) == 0 {
            true => self.interner.join(cell, c, self.by_rules),
            false => None,
        };
        match joined {
            Some(joined) => self.put_joined(cell, joined, c),
            None if half => self.place(c, char_width::of_char(c)),
            None => width > 0 && self.place(c, width),
        }
    }

    fn put_joined(&mut self, cell: Cell, joined: Joined, c: char) -> bool {
        let cell = cell.with_cluster(joined.cluster);
        if joined.wide && !cell.is(WIDE) {
            if !self.set(self.last_at, cell, 2) {
                return false;
            }
            self.col = self.last_at + 2;
        } else {
            self.cells[self.last_at] = cell;
        }
        self.open = self.by_rules && c == char_width::JOINER;
        true
    }
}

/// Decodes the first character of valid UTF-8. Returns it and the rest.
#[inline]
fn decoded(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let tail = |byte: u8| u32::from(byte & 0x3f);
    Some(match *bytes {
        [a @ 0..0x80, ref rest @ ..] => (u32::from(a), rest),
        [a @ 0xe0..0xf0, b, c, ref rest @ ..] => (u32::from(a & 0xf) << 12 | tail(b) << 6 | tail(c), rest),
        [a @ 0..0xe0, b, ref rest @ ..] => (u32::from(a & 0x1f) << 6 | tail(b), rest),
        [a, b, c, d, ref rest @ ..] => {
            (u32::from(a & 7) << 18 | tail(b) << 12 | tail(c) << 6 | tail(d), rest)
        }
        _ => return None,
    })
}
