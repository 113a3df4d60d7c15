//! Images in a terminal with sixel. They are pixels without a name there: text written over one replaces it. An image is
//! therefore removed by writing its cells again, and drawn again when some of them were written.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::{Rect, Size};
use fugue_screen::{ImageData, ImagePiece, PixelRect, PixelSize, SixelImage};

use super::{ImageKey, ImageLibrary, ShownImage, TerminalCells};
use crate::paint::WrittenRun;

/// No further image is drawn after this many bytes, so that all of them fit into what is written to a terminal at once.
const MOST_AT_ONCE: usize = 4 << 20;

/// The most that one image may take once it is cut to its cells; whole images are no longer.
const MOST_CUT_BYTES: usize = 4 << 20;

/// The pixels of decoded images that are kept, in two bytes each: two of the largest.
const MOST_DECODED_PIXELS: usize = 32 << 20;

/// What the terminal shows.
#[derive(Debug, Default)]
pub(super) struct SixelImages {
    shown: Vec<ShownImage>,
    /// Images that were cut to their cells, as they were written: other text over them costs no decoding.
    cut: Vec<CutImage>,
    /// Images that had to be cut, so that each is decoded once.
    decoded: BTreeMap<ImageKey, SixelImage>,
    /// Images that take too many bytes once they are cut.
    refused: BTreeSet<ImageKey>,
}

/// An image that was cut to its cells.
#[derive(Debug)]
struct CutImage {
    image: ShownImage,
    cell: PixelSize,
    bytes: Vec<u8>,
}

impl SixelImages {
    /// Forgets everything that is shown: the terminal was cleared.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }

    /// Whether an image takes too many bytes.
    pub(super) fn has_refused(&self, key: ImageKey) -> bool {
        self.refused.contains(&key)
    }

    /// Cuts images above the terminal's last row: for an image there, the terminal might scroll.
    pub(super) fn above_last_row(wanted: &[ShownImage], size: Size, top_rows: u16) -> Vec<ShownImage> {
        let rows = size.rows.saturating_sub(top_rows.saturating_add(1));
        let above = |image: &ShownImage| {
            let piece = image.piece.clipped(0..rows, 0..size.cols)?;
            Some(ShownImage { piece, ..*image })
        };
        wanted.iter().filter_map(above).collect()
    }

    /// The places of images that are not wanted any more: their cells must be written again.
    pub(super) fn take_unwanted(&mut self, wanted: &[ShownImage]) -> Vec<Rect> {
        let (kept, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.shown).into_iter().partition(|image| wanted.contains(image));
        self.shown = kept;
        gone.iter().map(place).collect()
    }

    /// Draws the images that are not there, or not whole any more after cells were written. Only one image is decoded at
    /// a time, so that text is drawn in between. Returns whether there is more to draw.
    pub(super) fn show(
        &mut self,
        wanted: &[ShownImage],
        library: &ImageLibrary,
        cells: TerminalCells,
        written: &[WrittenRun],
        out: &mut Vec<u8>,
    ) -> bool {
        self.forget_unused(wanted, library);
        let before = std::mem::take(&mut self.shown);
        let mut has_cut = false;
        for image in wanted {
            let is_whole = before.contains(image) && !written.iter().any(|run| run.touches(place(image)));
            if let Some(data) = library.get(image.key()).filter(|_| !is_whole) {
                let needs_cut = self.must_cut(image, data, cells);
                if out.len() > MOST_AT_ONCE || needs_cut && has_cut {
                    return true;
                }
                has_cut |= needs_cut;
                if !self.draw(image, data, cells, out) {
                    // A placeholder takes its place.
                    return true;
                }
            }
            self.shown.push(*image);
        }
        false
    }

    fn forget_unused(&mut self, wanted: &[ShownImage], library: &ImageLibrary) {
        self.cut.retain(|cut| wanted.contains(&cut.image));
        self.decoded.retain(|key, _| library.get(*key).is_some());
        self.refused.retain(|key| library.get(*key).is_some());
    }

    /// Whether an image still has to be cut to its cells.
    fn must_cut(&self, image: &ShownImage, data: &ImageData, cells: TerminalCells) -> bool {
        !is_passed_on(image, data, cells) && self.find_cut(image, cells).is_none()
    }

    fn find_cut(&self, image: &ShownImage, cells: TerminalCells) -> Option<&CutImage> {
        let cell = cells.size.unwrap_or(image.piece.cell);
        self.cut.iter().find(|cut| cut.image == *image && cut.cell == cell)
    }

    /// Draws a part of an image: as the program wrote it if it is all of it, and cut to its cells otherwise. Returns
    /// whether it could be drawn.
    fn draw(
        &mut self,
        image: &ShownImage,
        data: &ImageData,
        cells: TerminalCells,
        out: &mut Vec<u8>,
    ) -> bool {
        let piece = &image.piece;
        let to_place = format!("\x1b[{};{}H", piece.row + cells.top_rows + 1, piece.col + 1);
        if is_passed_on(image, data, cells) {
            out.extend([to_place.as_bytes(), b"\x1bP", data.bytes(), b"\x1b\\"].concat());
            return true;
        }
        if self.find_cut(image, cells).is_none() && !self.cut(image, data, cells) {
            return false;
        }
        if let Some(cut) = self.find_cut(image, cells) {
            out.extend([to_place.as_bytes(), cut.bytes.as_slice()].concat());
        }
        true
    }

    /// Cuts an image to its cells. Returns whether that takes no more than it may.
    fn cut(&mut self, image: &ShownImage, data: &ImageData, cells: TerminalCells) -> bool {
        let cell = cells.size.unwrap_or(image.piece.cell);
        let part = part_of(&image.piece, cell);
        let bytes = self.decode(image.key(), data).and_then(|decoded| decoded.encode(part, MOST_CUT_BYTES));
        match bytes {
            Some(bytes) => self.cut.push(CutImage { image: *image, cell, bytes }),
            None => drop(self.refused.insert(image.key())),
        }
        !self.has_refused(image.key())
    }

    /// The pixels of an image.
    fn decode(&mut self, key: ImageKey, data: &ImageData) -> Option<&SixelImage> {
        if !self.decoded.contains_key(&key) {
            let image = SixelImage::decode(data.bytes(), data.size)?;
            let kept: usize = self.decoded.values().map(SixelImage::pixel_count).sum();
            if kept + image.pixel_count() > MOST_DECODED_PIXELS {
                self.decoded.clear();
            }
            self.decoded.insert(key, image);
        }
        self.decoded.get(&key)
    }
}

fn place(image: &ShownImage) -> Rect {
    let piece = &image.piece;
    Rect { col: piece.col, row: piece.row, cols: piece.cols, rows: piece.rows }
}

/// Whether all of an image is shown, so that its bytes are written as they are.
fn is_passed_on(image: &ShownImage, data: &ImageData, cells: TerminalCells) -> bool {
    let whole = PixelRect { x: 0, y: 0, width: data.size.width, height: data.size.height };
    image.piece.source == whole && cells.size.is_none_or(|cell| cell == image.piece.cell)
}

/// The pixels that fit into the cells of a piece.
fn part_of(piece: &ImagePiece, cell: PixelSize) -> PixelRect {
    let width = piece.source.width.min(u32::from(piece.cols) * cell.width);
    let height = piece.source.height.min(u32::from(piece.rows) * cell.height);
    PixelRect { width, height, ..piece.source }
}

#[cfg(test)]
impl SixelImages {
    /// How many images were decoded, and how many parts were encoded, as far as they are kept.
    pub(super) fn kept(&self) -> (usize, usize) {
        (self.decoded.len(), self.cut.len())
    }
}
