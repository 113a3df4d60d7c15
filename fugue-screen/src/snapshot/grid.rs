//! Rows and cells in a snapshot, and the interner that they refer to.

use crate::binary_format::{DecodeError, Reader, put_bytes, put_number, put_style};
use crate::cell::{Cell, CellContent, FLAGS};
use crate::geometry::Size;
use crate::grid::Grid;
use crate::interner::Interner;
use crate::row::{Row, RowSize};

pub(super) fn put_interner(out: &mut Vec<u8>, interner: &Interner) {
    put_number(out, interner.links.len() as u64);
    interner.links.iter().for_each(|link| put_bytes(out, link.as_bytes()));
    put_number(out, interner.styles.len() as u64);
    interner.styles.iter().for_each(|style| put_style(out, style));
    put_number(out, interner.clusters().len() as u64);
    interner.clusters().iter().for_each(|text| put_bytes(out, text.as_bytes()));
}

pub(super) fn read_interner(input: &mut Reader<'_>) -> Result<Interner, DecodeError> {
    let mut interner = Interner::default();
    for _ in 0..input.count(1)? {
        interner.add_link(input.text()?);
    }
    for _ in 0..input.count(5)? {
        interner.style_number(input.style()?);
    }
    for _ in 0..input.count(1)? {
        interner.cluster_number(input.text()?);
    }
    Ok(interner)
}

pub(super) fn put_grid(out: &mut Vec<u8>, grid: &Grid) {
    put_number(out, grid.rows.len() as u64);
    for row in grid.rows.iter() {
        put_number(out, u64::from(row.wrapped) | (row.size as u64) << 1);
        put_number(out, row.cells.len() as u64);
        for cell in &row.cells {
            put_number(out, u64::from(cell.code()));
            put_number(out, u64::from(cell.style()));
            put_number(out, u64::from(cell.flags()));
        }
    }
}

pub(super) fn read_grid(
    input: &mut Reader<'_>,
    size: Size,
    interner: &Interner,
) -> Result<Grid, DecodeError> {
    let mut grid = Grid::new(size);
    if input.count(2)? != grid.rows.len() {
        return Err(DecodeError("rows are missing"));
    }
    for at in 0..grid.rows.len() {
        let row = read_row(input, size, interner)?;
        if row != Row::default() {
            grid.rows[at] = row;
        }
    }
    Ok(grid)
}

fn read_row(input: &mut Reader<'_>, size: Size, interner: &Interner) -> Result<Row, DecodeError> {
    let head = input.number()?;
    let mut row = Row { wrapped: head & 1 != 0, size: RowSize::from_number(head >> 1), ..Row::default() };
    for _ in 0..input.count(3)? {
        let cell = Cell::new(input.small()?, input.small()?, input.small::<u16>()? & FLAGS);
        row.cells.push(checked_cell(cell, interner));
    }
    row.cells.truncate(usize::from(size.cols));
    row.clear_orphan_halves();
    Ok(row)
}

fn checked_cell(cell: Cell, interner: &Interner) -> Cell {
    let known = match cell.content() {
        CellContent::Cluster(number) => (number as usize) < interner.clusters().len(),
        CellContent::Char(c) => !c.is_control(),
        CellContent::Blank => cell.code() == 0,
    };
    let style = if usize::from(cell.style()) < interner.styles.len() { cell.style() } else { 0 };
    let cell = cell.with_style(style);
    if known { cell } else { cell.emptied() }
}
