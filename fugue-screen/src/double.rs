//! Rows of double width and height (DECDWL, DECDHL). Half as many characters fit into one. On a grid of cells they can
//! only be drawn far apart: each character, then a blank. The lower half of a high row is drawn empty, since it would
//! say the same once more. Text that is read, and history, is as it was written; a new size makes all rows single again.

use std::ops::Range;

use crate::cell::{Cell, TAIL, WIDE};
use crate::grid::Grid;
use crate::row::Row;
use crate::terminal::Terminal;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Double {
    #[default]
    Single,
    Wide,
    Upper,
    Lower,
}

/// Each kind: the last byte of its sequence (`ESC # 3`).
const KINDS: [(Double, u8); 4] =
    [(Double::Single, b'5'), (Double::Wide, b'6'), (Double::Upper, b'3'), (Double::Lower, b'4')];

impl Double {
    fn by_byte(byte: u8) -> Option<Double> {
        KINDS.iter().find(|(_, known)| *known == byte).map(|(kind, _)| *kind)
    }

    pub fn byte(self) -> u8 {
        KINDS[self as usize].1
    }

    pub fn from_number(number: u64) -> Double {
        KINDS.get(number as usize).map_or(Double::Single, |(kind, _)| *kind)
    }

    /// How many of `cols` columns can be written to.
    #[inline]
    pub fn width(self, cols: usize) -> usize {
        if self == Double::Single { cols } else { cols.div_ceil(2) }
    }
}

impl Row {
    /// As it is drawn into `cols` columns.
    pub fn spread(&self, cols: usize) -> Row {
        let mut cells = Vec::new();
        let room = self.double.width(cols).min(self.cells.len());
        for &cell in self.cells[..room].iter().filter(|cell| !cell.is(TAIL) && self.double != Double::Lower) {
            let blank = Cell::blank(cell.style());
            cells.push(cell);
            if cell.is(WIDE) {
                cells.extend([blank.with_flags(TAIL), blank]);
            }
            cells.push(blank);
        }
        cells.truncate(cols);
        let mut row = Row { cells, revision: self.revision, wrapped: false, double: Double::Single };
        row.halves_become_blanks();
        row
    }
}

impl Grid {
    /// Rows are of single width again.
    pub fn make_single(&mut self, rows: Range<usize>) {
        self.rows.range_mut(rows).for_each(|row| row.double = Double::Single);
    }
}

impl Terminal {
    /// The caret's row becomes double, or single again. What does not fit any more is lost.
    pub fn size_row(&mut self, kind: u8) {
        let Some(double) = Double::by_byte(kind) else { return };
        let width = double.width(self.cols());
        self.doubles = true;
        let row = self.row();
        row.double = double;
        if double != Double::Single {
            row.narrow(width);
        }
        self.go(self.caret.row, self.caret.col);
    }

    /// Columns that can be written to in a row.
    #[inline]
    pub fn width(&self, row: usize) -> usize {
        if self.doubles { self.grid.rows[row].double.width(self.grid.cols) } else { self.grid.cols }
    }

    /// The column that text may not reach, where rows may be double. Margins can lead beyond what is shown of one.
    #[cold]
    pub fn right_limit_of_double(&self) -> usize {
        let (col, width) = (self.caret.col, self.width(self.caret.row));
        let limits = [self.margins.right.min(width), width, self.margins.right];
        limits.into_iter().find(|&limit| col < limit).unwrap_or(self.cols())
    }

    /// After a step up or down: back into a row that is half as wide.
    #[inline]
    pub fn stay_within_row(&mut self) {
        if self.doubles {
            self.caret.col = self.caret.col.min(self.width(self.caret.row) - 1);
        }
    }
}
