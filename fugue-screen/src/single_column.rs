//! A screen of one column, as storms of sizes pass through. Wide characters are kept there in one cell, so that they are
//! not lost, but not drawn, since they would reach into a neighbor; wider again, they have both their columns.

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

/// Each character in one cell.
pub(crate) fn squeeze(cells: &[Cell]) -> Vec<Cell> {
    cells.iter().filter(|cell| !cell.is(TAIL)).map(|cell| cell.without_flags(WIDE)).collect()
}

/// The place in such cells of an offset in the ones they are made of.
pub(crate) fn squeezed_offset(cells: &[Cell], offset: usize) -> usize {
    offset - cells.iter().take(offset).filter(|cell| cell.is(TAIL)).count()
}

/// A cell of a single column as it is where there is room.
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
