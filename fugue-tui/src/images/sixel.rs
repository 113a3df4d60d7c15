//! Images in a terminal with sixel. They are pixels without a name there: text written over one replaces it. An image is
//! therefore removed by writing its cells again, and drawn again when some of them were written.

use std::io::Write;

use fugue_protocol::{Rect, Size};
use fugue_screen::{ImageData, PixelRect, SixelImage};

use super::{ImageLibrary, ShownImage, TerminalCells};
use crate::paint::WrittenRun;

/// No further image is drawn after this many bytes, so that all of them fit into what is written to a terminal at once.
const MOST_AT_ONCE: usize = 4 << 20;

/// What the terminal shows.
#[derive(Debug, Default)]
pub(super) struct SixelImages {
    shown: Vec<ShownImage>,
}

impl SixelImages {
    /// Forgets everything: the terminal was cleared.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }

    /// Cuts images above the terminal's last row: for an image there, the terminal might scroll.
    pub(super) fn above_last_row(wanted: &[ShownImage], size: Size, top_rows: u16) -> Vec<ShownImage> {
        let rows = size.rows.saturating_sub(1 + top_rows);
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

    /// Draws the images that are not there, or not whole any more after cells were written. Returns whether there is
    /// more to draw.
    pub(super) fn show(
        &mut self,
        wanted: &[ShownImage],
        library: &ImageLibrary,
        cells: TerminalCells,
        written: &[WrittenRun],
        out: &mut Vec<u8>,
    ) -> bool {
        let before = std::mem::take(&mut self.shown);
        for image in wanted {
            if out.len() > MOST_AT_ONCE {
                return true;
            }
            let is_whole = before.contains(image) && !written.iter().any(|run| run.touches(place(image)));
            if let Some(data) = library.get(image.key()).filter(|_| !is_whole) {
                draw(image, data, cells, out);
            }
            self.shown.push(*image);
        }
        false
    }
}

fn place(image: &ShownImage) -> Rect {
    let piece = &image.piece;
    Rect { col: piece.col, row: piece.row, cols: piece.cols, rows: piece.rows }
}

/// Draws a part of an image: as the program wrote it if it is all of it, and cut to its cells otherwise.
fn draw(image: &ShownImage, data: &ImageData, cells: TerminalCells, out: &mut Vec<u8>) {
    let piece = &image.piece;
    let _ = write!(out, "\x1b[{};{}H", piece.row + cells.top_rows + 1, piece.col + 1);
    let whole = PixelRect { x: 0, y: 0, width: data.size.width, height: data.size.height };
    let cell = cells.size.unwrap_or(piece.cell);
    if piece.source == whole && cell == piece.cell {
        out.extend_from_slice(b"\x1bP");
        out.extend_from_slice(data.bytes());
        out.extend_from_slice(b"\x1b\\");
    } else if let Some(sixel) = SixelImage::decode(data.bytes(), data.size) {
        let width = piece.source.width.min(u32::from(piece.cols) * cell.width);
        let height = piece.source.height.min(u32::from(piece.rows) * cell.height);
        out.extend(sixel.encode(PixelRect { width, height, ..piece.source }));
    }
}
