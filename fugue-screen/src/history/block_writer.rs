//! Conversion of cells to text and style runs as they leave the screen.

use super::block::RawBlock;
use super::style_runs::put_run;
use crate::cell::{Cell, FILLER, TAIL};
use crate::interner::Interner;
use crate::packed_style::PackedStyle;

/// The bits that any of the cells has.
#[inline]
fn union_of(cells: &[Cell]) -> Cell {
    Cell(cells.iter().fold(0, |all, cell| all | cell.0))
}

impl RawBlock {
    pub(super) fn append(&mut self, cells: &[Cell], interner: &Interner) {
        let all = union_of(cells);
        if all.style() == 0 {
            return self.append_text(cells, all, interner);
        }
        for run in cells.chunk_by(|a, b| a.style() == b.style()) {
            let start = self.text.len();
            self.append_text(run, all, interner);
            if run[0].style() != 0 && self.text.len() > start {
                self.append_style_run(start, run[0].style(), interner);
            }
        }
    }

    /// Appends the text of cells. `all` has the bits of these cells, and perhaps of others.
    #[inline]
    fn append_text(&mut self, cells: &[Cell], all: Cell, interner: &Interner) {
        if all.code() < 0x80 && !all.is(TAIL | FILLER) {
            return self.append_ascii(cells);
        }
        self.text.reserve(4 * cells.len());
        for cell in cells.iter().filter(|cell| !cell.is(TAIL | FILLER)) {
            interner.push_bytes(*cell, &mut self.text);
        }
    }

    #[inline]
    fn append_ascii(&mut self, cells: &[Cell]) {
        self.text.reserve(cells.len());
        // Sixteen at a time, so that it compiles to vector code.
        let (sixteens, rest) = cells.as_chunks::<16>();
        for sixteen in sixteens {
            self.text.extend_from_slice(&sixteen.map(|cell| (cell.0 as u8).max(b' ')));
        }
        self.text.extend(rest.iter().map(|cell| (cell.0 as u8).max(b' ')));
    }

    fn append_style_run(&mut self, start: usize, style: u16, interner: &Interner) {
        let style = self.style(style, interner);
        put_run(&mut self.runs, start - self.run_end, self.text.len() - start, style);
        self.run_end = self.text.len();
    }

    /// The block's own number for a style of the pane.
    fn style(&mut self, number: u16, interner: &Interner) -> u16 {
        let at = usize::from(number);
        if self.known.len() <= at {
            self.known.resize(at + 1, 0);
        }
        if self.known[at] == 0 {
            if self.styles.len() >= usize::from(u16::MAX) {
                return 0;
            }
            let style = interner.style(number);
            let link = interner.link(style.link).map_or(0, |address| self.link(style.link, address));
            self.styles.push(PackedStyle { link, ..style });
            self.known[at] = self.styles.len() as u16;
        }
        self.known[at] - 1
    }

    /// The block's own number for a link of the pane. There are never more links than styles.
    fn link(&mut self, number: u16, address: &str) -> u16 {
        let at = usize::from(number);
        if self.known_links.len() <= at {
            self.known_links.resize(at + 1, 0);
        }
        if self.known_links[at] == 0 && self.add_link(address) {
            self.known_links[at] = self.links.len() as u16;
        }
        self.known_links[at]
    }
}
