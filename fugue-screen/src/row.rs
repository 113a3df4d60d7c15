//! One row of the grid. It stores only the columns that were written; all others are blank.

use crate::cell::{Cell, TAIL, WIDE};

/// Whether a row is drawn at single or double size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RowSize {
    #[default]
    Single,
    DoubleWidth,
    DoubleHeightTop,
    DoubleHeightBottom,
}

/// Each size with the last byte of its sequence (`ESC # 3`).
const ROW_SIZES: [(RowSize, u8); 4] = [
    (RowSize::Single, b'5'),
    (RowSize::DoubleWidth, b'6'),
    (RowSize::DoubleHeightTop, b'3'),
    (RowSize::DoubleHeightBottom, b'4'),
];

impl RowSize {
    pub(crate) fn by_byte(byte: u8) -> Option<Self> {
        ROW_SIZES.iter().find(|(_, known)| *known == byte).map(|(kind, _)| *kind)
    }

    pub(crate) fn byte(self) -> u8 {
        ROW_SIZES[self as usize].1
    }

    pub(crate) fn from_number(number: u64) -> Self {
        ROW_SIZES.get(number as usize).map_or(Self::Single, |(kind, _)| *kind)
    }

    /// How many of `cols` columns can be written.
    #[inline]
    pub(crate) fn width(self, cols: usize) -> usize {
        if self == Self::Single { cols } else { cols.div_ceil(2) }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub cells: Vec<Cell>,
    /// The revision in which it last changed.
    pub revision: u64,
    /// Whether its text continues in the next row.
    pub wrapped: bool,
    pub size: RowSize,
    /// The number by which images refer to the row; 0 if none does.
    pub anchor: u32,
}

impl Row {
    pub(crate) fn cell(&self, col: usize) -> Cell {
        self.cells.get(col).copied().unwrap_or(Cell::BLANK)
    }

    /// The number of columns up to the last one that shows something.
    pub(crate) fn used(&self) -> usize {
        self.cells.iter().rposition(|cell| !cell.is_plain_blank()).map_or(0, |at| at + 1)
    }

    /// Ends the line: its text no longer continues in the next row.
    pub(crate) fn end_line(&mut self, revision: u64) {
        self.wrapped = false;
        self.revision = revision;
    }

    /// Empties the row for reuse and keeps its memory.
    pub(crate) fn clear(&mut self, cols: usize, fill: Cell, revision: u64) {
        self.cells.clear();
        // Rows grow by doubling, beyond their width; the excess is freed once.
        if self.cells.capacity() > cols {
            self.cells.shrink_to(cols);
        }
        if fill != Cell::BLANK {
            self.cells.resize(cols, fill);
        }
        self.wrapped = false;
        self.size = RowSize::Single;
        self.anchor = 0;
        self.revision = revision;
    }

    /// Extends the row so that column `end - 1` exists.
    pub(crate) fn extend_to(&mut self, end: usize) {
        if self.cells.len() < end {
            self.cells.resize(end, Cell::BLANK);
        }
    }

    /// Writes one-column characters. Nearly all output takes this path.
    #[inline]
    pub(crate) fn write_ascii(&mut self, col: usize, text: &[u8], pen: Cell) {
        let end = col + text.len();
        self.clear_split_wide(col);
        self.clear_split_wide(end);
        self.extend_to(col);
        let (over, beyond) = text.split_at((self.cells.len() - col).min(text.len()));
        for (cell, &byte) in self.cells[col..].iter_mut().zip(over) {
            *cell = pen.with_byte(byte);
        }
        self.cells.reserve(beyond.len());
        // Eight at a time, so that it compiles to vector code.
        let (eights, rest) = beyond.as_chunks::<8>();
        for eight in eights {
            self.cells.extend_from_slice(&eight.map(|byte| pen.with_byte(byte)));
        }
        self.cells.extend(rest.iter().map(|&byte| pen.with_byte(byte)));
    }

    /// Blanks the second half of a wide character at `col`, whose first half was overwritten.
    #[inline]
    pub(crate) fn clear_orphan_tail(&mut self, col: usize) {
        if let Some(cell) = self.cells.get_mut(col).filter(|cell| cell.is(TAIL)) {
            *cell = cell.emptied();
        }
    }

    /// Sets a one-column cell.
    pub(crate) fn set_cell(&mut self, col: usize, cell: Cell) {
        self.clear_split_wide(col);
        self.clear_split_wide(col + 1);
        self.extend_to(col + 1);
        self.cells[col] = cell;
    }

    /// Sets a two-column cell.
    pub(crate) fn set_wide(&mut self, col: usize, cell: Cell) {
        self.clear_split_wide(col);
        self.clear_split_wide(col + 2);
        self.extend_to(col + 2);
        self.cells[col] = cell.with_flags(WIDE);
        self.cells[col + 1] = cell.with_code(0).with_flags(TAIL);
    }

    /// Blanks a wide character that lies across the border before `col`.
    #[inline]
    pub(crate) fn clear_split_wide(&mut self, col: usize) {
        if col == 0 || col >= self.cells.len() || !self.cells[col].is(TAIL) {
            return;
        }
        self.cells[col] = self.cells[col].emptied();
        self.cells[col - 1] = self.cells[col - 1].emptied();
    }

    /// Fills columns `from..to`.
    pub(crate) fn fill(&mut self, from: usize, to: usize, fill: Cell) {
        self.clear_split_wide(from);
        self.clear_split_wide(to);
        if fill == Cell::BLANK && to >= self.cells.len() {
            self.cells.truncate(from);
            return;
        }
        self.extend_to(to);
        self.cells[from..to].fill(fill);
    }

    /// Inserts `count` cells at `col`; cells that are pushed past `right` are lost.
    pub(crate) fn insert(&mut self, col: usize, count: usize, right: usize, fill: Cell) {
        let count = count.min(right - col);
        self.clear_split_wide(col);
        self.clear_split_wide(right);
        self.extend_to(right);
        self.clear_split_wide(right - count);
        self.cells.copy_within(col..right - count, col + count);
        self.cells[col..col + count].fill(fill);
    }

    /// Deletes `count` cells at `col`; `fill` comes in before `right`.
    pub(crate) fn delete(&mut self, col: usize, count: usize, right: usize, fill: Cell) {
        let count = count.min(right - col);
        self.clear_split_wide(col);
        self.clear_split_wide(right);
        self.extend_to(right);
        self.clear_split_wide(col + count);
        self.cells.copy_within(col + count..right, col);
        self.cells[right - count..right].fill(fill);
    }

    /// Applies a function to each cell in `from..to`.
    pub(crate) fn map_cells(&mut self, from: usize, to: usize, mut change: impl FnMut(Cell) -> Cell) {
        self.extend_to(to);
        for cell in &mut self.cells[from..to] {
            *cell = change(*cell);
        }
    }

    /// Truncates the row; half a wide character becomes blank.
    pub(crate) fn truncate_to(&mut self, cols: usize) {
        self.clear_split_wide(cols);
        self.cells.truncate(cols);
        self.wrapped = false;
    }
}

impl Row {
    /// Blanks halves of wide characters that stand alone, after cells were copied from elsewhere.
    pub(crate) fn clear_orphan_halves(&mut self) {
        (0..self.cells.len()).for_each(|at| self.clear_orphan_half(at));
    }

    /// Blanks half of a wide character if it stands alone.
    pub(crate) fn clear_orphan_half(&mut self, at: usize) {
        let whole = match self.cells[at] {
            cell if cell.is(WIDE) => self.cells.get(at + 1).is_some_and(|next| next.is(TAIL)),
            cell if cell.is(TAIL) => at > 0 && self.cells[at - 1].is(WIDE),
            _ => true,
        };
        if !whole {
            self.cells[at] = self.cells[at].emptied();
        }
    }
}
