//! A run of text that is written into one row in one go, marks and emoji included. What it does not take is left to
//! the slow way, character by character; both lead to the same row.

use crate::cell::{Cell, TAIL, WIDE};
use crate::tables::{Joined, Tables};
use crate::width;

pub(crate) struct Run<'a> {
    /// The cells of the row, as far as the run may go.
    pub cells: &'a mut [Cell],
    pub tables: &'a mut Tables,
    pub pen: Cell,
    /// Emoji are put together (mode 2027).
    pub by_rules: bool,
    /// Where the next character goes.
    pub col: usize,
    /// Where the last character is.
    pub last_at: usize,
    /// The last character that was placed, for REP.
    pub last: Option<char>,
    /// The last character may go on: it ends in a joiner.
    pub open: bool,
}

impl Run<'_> {
    /// Take a code point of so many columns, 0 if it may join. Says whether it was taken.
    #[inline]
    pub fn take(&mut self, c: char, width: usize) -> bool {
        if width > 0 && !self.open {
            return self.place(c, width);
        }
        self.join_or_place(c, width)
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

    /// Write a cell of one or two columns, if there is room.
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
        let half = width::is_half_of_emoji(c);
        let cell = self.cells[self.last_at];
        let joined = match self.by_rules || width::of_char(c) == 0 {
            true => self.tables.join(cell, c, self.by_rules),
            false => None,
        };
        match joined {
            Some(joined) => self.put_joined(cell, joined, c),
            None if half => self.place(c, width::of_char(c)),
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
        self.open = self.by_rules && c == width::JOINER;
        true
    }
}
