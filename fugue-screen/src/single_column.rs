//! Screens of one column, which occur while a window is being resized. A wide character is stored there in one cell, so
//! that it is not lost, but not drawn, since it would cover its neighbor. On a wider screen it has both its columns
//! again.

use crate::cell::{Cell, CellContent, TAIL, WIDE};
use crate::char_width;
use crate::interner::Interner;
use crate::row::Row;

fn is_wide(cell: Cell, interner: &Interner) -> bool {
    match cell.content() {
        CellContent::Blank => false,
        CellContent::Char(c) => char_width::of_char(c) == 2,
        CellContent::Cluster(number) => char_width::of_cluster(interner.cluster(number)) == 2,
    }
}

/// Puts each character into one cell.
pub(crate) fn squeeze(cells: &[Cell]) -> Vec<Cell> {
    cells.iter().filter(|cell| !cell.is(TAIL)).map(|cell| cell.without_flags(WIDE)).collect()
}

/// Converts an offset in cells to one in squeezed cells.
pub(crate) fn squeezed_offset(cells: &[Cell], offset: usize) -> usize {
    offset - cells.iter().take(offset).filter(|cell| cell.is(TAIL)).count()
}

/// Restores a squeezed cell to its full width.
pub(crate) fn widen(cell: Cell, interner: &Interner, out: &mut Vec<Cell>) {
    if is_wide(cell, interner) {
        out.extend([cell.with_flags(WIDE), Cell::blank(cell.style()).with_flags(TAIL)]);
    } else {
        out.push(cell);
    }
}

/// A row of one column as it can be drawn.
pub(crate) fn drawable(row: &Row, interner: &Interner) -> Row {
    let cells = row.cells.iter().take(1);
    let cells = cells.map(|&cell| if is_wide(cell, interner) { cell.emptied() } else { cell });
    Row { cells: cells.collect(), revision: row.revision, wrapped: row.wrapped, ..Row::default() }
}
