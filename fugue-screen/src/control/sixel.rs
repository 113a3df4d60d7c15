//! Sixel images: a device control string is drawn at the cursor, which ends up in the image's last row.

use std::collections::HashSet;
use std::io::Write;

use crate::cell::{Cell, PICTURE};
use crate::images::{CountedBytes, Fit, ImageFormat, Placement, TransmittedImage, sixel};
use crate::parser::Sequence;
use crate::row::Row;
use crate::terminal::Terminal;

impl Terminal {
    pub(super) fn sixel_image(&mut self, sequence: &Sequence, text: &[u8]) {
        let Some(size) = sixel::measure(text) else { return };
        let p = &sequence.params;
        let mut data = Vec::with_capacity(text.len() + 16);
        let _ = write!(data, "{};{};{}q", p.get(0), p.get(1), p.get(2));
        // Viewers pass it on to their terminals: nothing in it may end the string there.
        data.extend(text.iter().filter(|byte| byte.is_ascii_graphic()));
        let bytes = self.counted_bytes(&data);
        let image = TransmittedImage { format: ImageFormat::Sixel, zlib: false, size, bytes };
        let key = self.store_image((0, 0), image);
        let fit = Fit::whole(size, self.images.cell());
        let start = self.caret.col;
        let rows = self.anchor_rows(fit.rows, |terminal| terminal.mark_image_cells(start, fit.cols as usize));
        (self.caret.col, self.caret.wrap_pending) = (start, false);
        self.drop_covered_sixels(start as u32, fit.cols, &rows);
        let (number, z, col, is_erasable) = (0, 0, start as u32, true);
        self.images.place(Placement { image: key, number, z, col, fit, rows, is_erasable });
    }

    /// Keeps bytes; the oldest images make room for them.
    fn counted_bytes(&mut self, data: &[u8]) -> Option<CountedBytes> {
        let mut bytes = CountedBytes::default();
        loop {
            match bytes.extend(data) {
                true => return Some(bytes.complete()),
                false if !self.images.store.drop_oldest() => return None,
                false => {}
            }
        }
    }

    /// Blanks the cells that an image covers in the cursor's row. The image is visible in them until they change.
    fn mark_image_cells(&mut self, start: usize, cols: usize) {
        let end = (start + cols).min(self.cols());
        let row = self.row();
        row.clear_split_wide(start);
        row.clear_split_wide(end);
        row.extend_to(end);
        row.cells[start..end].fill(Cell::BLANK.with_flags(PICTURE));
        self.work.spend(end - start);
    }

    /// Drops earlier images of which nothing is visible beside the new one: the frames of an animation, and images whose
    /// other cells were erased. The marks of the new one would show them again.
    fn drop_covered_sixels(&mut self, col: u32, cols: u32, rows: &[u32]) {
        self.spend_image_search();
        let grid = &self.buffers.grid;
        let covered: HashSet<u32> = rows.iter().copied().collect();
        let is_beside = |old: &Placement, row: &Row| {
            let mut columns = old.col..old.col + old.fit.cols;
            let covered = if covered.contains(&row.anchor) { col..col + cols } else { 0..0 };
            columns.any(|at| row.cell(at as usize).is(PICTURE) && !covered.contains(&at))
        };
        self.images.placements.retain(|old| {
            if !old.is_erasable || !old.rows.iter().any(|row| covered.contains(row)) {
                return true;
            }
            let anchors: HashSet<u32> = old.rows.iter().copied().collect();
            let mut rows = grid.rows.iter().filter(|row| row.anchor != 0 && anchors.contains(&row.anchor));
            rows.any(|row| is_beside(old, row))
        });
    }
}
