//! Rows of double width and height (DECDWL, DECDHL), which hold half as many characters.
//!
//! A grid of cells can only draw them spaced out: each character, then a blank. The lower half of a double-height row
//! is drawn empty, since it would repeat the upper one. Text that is read, and history, is as it was written. A resize
//! makes all rows single again.

use std::ops::Range;

use crate::cell::{Cell, TAIL, WIDE};
use crate::grid::Grid;
use crate::row::{Row, RowSize};
use crate::terminal::Terminal;

impl Row {
    /// The row as it is drawn in `cols` columns.
    pub(crate) fn doubled(&self, cols: usize) -> Self {
        let mut cells = Vec::new();
        let room = self.size.width(cols).min(self.cells.len());
        for &cell in self.cells[..room]
            .iter()
            .filter(|cell| !cell.is(TAIL) && self.size != RowSize::DoubleHeightBottom)
        {
            let blank = Cell::blank(cell.style());
            cells.push(cell);
            if cell.is(WIDE) {
                cells.extend([blank.with_flags(TAIL), blank]);
            }
            cells.push(blank);
        }
        cells.truncate(cols);
        let mut row = Self { cells, revision: self.revision, wrapped: false, ..Self::default() };
        row.clear_orphan_halves();
        row
    }
}

impl Grid {
    /// Makes rows single again.
    pub(crate) fn make_single(&mut self, rows: Range<usize>) {
        self.rows.written_mut(rows).for_each(|row| row.size = RowSize::Single);
    }
}

impl Terminal {
    /// Makes the caret's row double or single. What no longer fits is lost.
    pub(crate) fn set_row_size(&mut self, kind: u8) {
        let Some(double) = RowSize::by_byte(kind) else { return };
        let width = double.width(self.cols());
        self.buffers.has_double_rows = true;
        let row = self.row();
        row.size = double;
        if double != RowSize::Single {
            row.truncate_to(width);
        }
        self.move_to(self.caret.row, self.caret.col);
    }

    /// The number of columns that can be written in a row.
    #[inline]
    pub(crate) fn row_width(&self, row: usize) -> usize {
        if self.buffers.has_double_rows {
            self.buffers.grid.rows[row].size.width(self.buffers.grid.cols)
        } else {
            self.buffers.grid.cols
        }
    }

    /// The column that text may not reach where rows may be double. Margins can lie beyond the end of a double row.
    #[cold]
    pub(crate) fn right_limit_with_double_rows(&self) -> usize {
        let (col, width) = (self.caret.col, self.row_width(self.caret.row));
        let limits = [self.buffers.margins.right.min(width), width, self.buffers.margins.right];
        limits.into_iter().find(|&limit| col < limit).unwrap_or(self.cols())
    }

    /// Moves the caret back into the row after a move up or down, since the row may be half as wide.
    #[inline]
    pub(crate) fn clamp_to_row_width(&mut self) {
        if self.buffers.has_double_rows {
            self.caret.col = self.caret.col.min(self.row_width(self.caret.row) - 1);
        }
    }
}
