//! Pieces: the parts of images that are visible, as rectangles of cells. Most images are one piece; one that text or a
//! scroll has cut is several.

use std::collections::HashMap;
use std::ops::Range;

use super::data::PixelSize;
use super::placement::{Fit, PixelRect, Placement};
use crate::binary_format::{DecodeError, Reader, put_number};
use crate::cell::PICTURE;
use crate::geometry::Size;
use crate::grid::Grid;
use crate::row::Row;

/// A cell has at least this many pixels, and at most that many: no font is smaller or larger.
pub(super) const CELL_SIDE: std::ops::RangeInclusive<u32> = 2..=256;

/// The pieces of a screen: more than fit on it, unless a program means harm.
const MOST_PIECES: usize = 512;

/// A visible part of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImagePiece {
    /// The image's number, see [`crate::ImageData`].
    pub image: u64,
    /// The size of the whole image.
    pub image_size: PixelSize,
    /// The first row on the screen.
    pub row: u16,
    /// The first column on the screen.
    pub col: u16,
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub cols: u16,
    /// The part of the image that these cells show.
    pub source: PixelRect,
    /// The offset of that part within the first cell, in pixels.
    pub offset: (u16, u16),
    /// Whether that part fills the cells; otherwise it has its own size.
    pub is_scaled: bool,
    /// The size of a cell when the image was placed.
    pub cell: PixelSize,
    /// The order of images that overlap.
    pub z: i32,
}

impl ImagePiece {
    /// The part of the piece in these rows and columns; nothing if there is none.
    pub fn clipped(&self, rows: Range<u16>, cols: Range<u16>) -> Option<Self> {
        let (top, bottom) = (self.row.max(rows.start), (self.row + self.rows).min(rows.end));
        let (left, right) = (self.col.max(cols.start), (self.col + self.cols).min(cols.end));
        if top >= bottom || left >= right {
            return None;
        }
        let fit = Fit {
            cols: u32::from(self.cols),
            rows: u32::from(self.rows),
            source: self.source,
            offset: [u32::from(self.offset.0), u32::from(self.offset.1)],
            is_scaled: self.is_scaled,
            cell: self.cell,
        };
        let columns = (u32::from(left - self.col), u32::from(right - self.col));
        let lines = (u32::from(top - self.row), u32::from(bottom - self.row));
        let offset =
            (if columns.0 == 0 { self.offset.0 } else { 0 }, if lines.0 == 0 { self.offset.1 } else { 0 });
        let (row, col, rows, cols) = (top, left, bottom - top, right - left);
        Some(Self { row, col, rows, cols, source: fit.part(columns, lines), offset, ..*self })
    }
}

impl ImagePiece {
    /// Whether it lies on a screen, and shows a part of its image.
    fn is_possible(&self) -> bool {
        let within = |from: u32, count: u32, end: u32| {
            count > 0 && from.checked_add(count).is_some_and(|last| last <= end)
        };
        let on_screen = |from: u16, count: u16| within(from.into(), count.into(), Size::LARGEST.into());
        let Self { source, image_size, cell, .. } = self;
        on_screen(self.row, self.rows)
            && on_screen(self.col, self.cols)
            && image_size.is_drawable()
            && within(source.x, source.width, image_size.width)
            && within(source.y, source.height, image_size.height)
            && CELL_SIDE.contains(&cell.width)
            && CELL_SIDE.contains(&cell.height)
    }
}

/// The rows of a screen that have anchors.
pub(super) fn anchored_rows(grid: &Grid) -> HashMap<u32, usize> {
    let rows = grid.rows.iter().enumerate();
    rows.filter(|(_, row)| row.anchor != 0).map(|(at, row)| (row.anchor, at)).collect()
}

/// Adds the visible pieces of a placement.
pub(super) fn add_pieces(
    placement: &Placement,
    image_size: PixelSize,
    grid: &Grid,
    anchored: &HashMap<u32, usize>,
    pieces: &mut Vec<ImagePiece>,
) {
    let mut last: Option<(Strip, Vec<(u32, u32)>)> = None;
    let mut finish = |strip: Strip, columns: &[(u32, u32)]| {
        let room = MOST_PIECES - pieces.len().min(MOST_PIECES);
        pieces.extend(columns.iter().take(room).map(|&columns| piece(placement, image_size, strip, columns)));
    };
    for (number, anchor) in (0..).zip(&placement.rows) {
        let Some(&row) = anchored.get(anchor) else { continue };
        let columns = visible_columns(placement, &grid.rows[row], grid.cols);
        last = match last.take() {
            Some((strip, same)) if strip.continues(number, row) && same == columns => {
                Some((Strip { count: strip.count + 1, ..strip }, same))
            }
            before => {
                before.iter().for_each(|(strip, columns)| finish(*strip, columns));
                Some((Strip { first: number, row, count: 1 }, columns))
            }
        };
    }
    last.iter().for_each(|(strip, columns)| finish(*strip, columns));
}

/// Rows of an image that are below each other on the screen.
#[derive(Clone, Copy)]
struct Strip {
    /// The first of them in the image.
    first: u32,
    /// The first of them on the screen.
    row: usize,
    count: u32,
}

impl Strip {
    fn continues(self, number: u32, row: usize) -> bool {
        number == self.first + self.count && row == self.row + self.count as usize
    }
}

/// The columns of an image that are visible in a row, counted from the image's first.
fn visible_columns(placement: &Placement, row: &Row, cols: usize) -> Vec<(u32, u32)> {
    let end = (placement.col + placement.fit.cols).min(cols as u32);
    if !placement.is_erasable {
        return (end > placement.col).then(|| (0, end - placement.col)).into_iter().collect();
    }
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for col in (placement.col..end).filter(|col| row.cell(*col as usize).is(PICTURE)) {
        let at = col - placement.col;
        match ranges.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => ranges.push((at, at + 1)),
        }
    }
    ranges
}

fn piece(placement: &Placement, image_size: PixelSize, strip: Strip, (from, to): (u32, u32)) -> ImagePiece {
    let fit = &placement.fit;
    let first = |from: u32, offset: u32| if from == 0 { offset as u16 } else { 0 };
    ImagePiece {
        image: placement.image,
        image_size,
        row: strip.row as u16,
        col: (placement.col + from) as u16,
        rows: strip.count as u16,
        cols: (to - from) as u16,
        source: fit.part((from, to), (strip.first, strip.first + strip.count)),
        offset: (first(from, fit.offset[0]), first(strip.first, fit.offset[1])),
        is_scaled: fit.is_scaled,
        cell: fit.cell,
        z: placement.z,
    }
}

/// Encodes pieces for the wire.
pub(crate) fn put_pieces(out: &mut Vec<u8>, pieces: &[ImagePiece]) {
    put_number(out, pieces.len() as u64);
    for piece in pieces {
        put_number(out, piece.image);
        for side in [piece.row, piece.col, piece.rows, piece.cols, piece.offset.0, piece.offset.1] {
            put_number(out, u64::from(side));
        }
        let ImagePiece { image_size, source, cell, .. } = piece;
        for pixels in [image_size.width, image_size.height, source.x, source.y, source.width, source.height] {
            put_number(out, u64::from(pixels));
        }
        put_number(out, u64::from(cell.width));
        put_number(out, u64::from(cell.height));
        put_number(out, u64::from(piece.is_scaled) | u64::from(piece.z.cast_unsigned()) << 1);
    }
}

/// Decodes pieces. Those that no screen has are an error: they may come from another host.
pub(crate) fn read_pieces(input: &mut Reader<'_>) -> Result<Vec<ImagePiece>, DecodeError> {
    let count = input.count(16)?;
    if count > MOST_PIECES {
        return Err(DecodeError("there are too many images"));
    }
    (0..count).map(|_| read_piece(input)).collect()
}

fn read_piece(input: &mut Reader<'_>) -> Result<ImagePiece, DecodeError> {
    let image = input.number()?;
    let [row, col, rows, cols] = [input.small()?, input.small()?, input.small()?, input.small()?];
    let offset = (input.small()?, input.small()?);
    let image_size = PixelSize { width: input.small()?, height: input.small()? };
    let source =
        PixelRect { x: input.small()?, y: input.small()?, width: input.small()?, height: input.small()? };
    let cell = PixelSize { width: input.small()?, height: input.small()? };
    let bits = input.number()?;
    let (is_scaled, z) = (bits & 1 != 0, ((bits >> 1) as u32).cast_signed());
    let piece = ImagePiece { image, image_size, row, col, rows, cols, source, offset, is_scaled, cell, z };
    if !piece.is_possible() {
        return Err(DecodeError("no part of an image looks like this"));
    }
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clipped_piece_shows_the_part_that_is_left() {
        let size = |width, height| PixelSize { width, height };
        let rect = |x, y, width, height| PixelRect { x, y, width, height };
        let piece = ImagePiece {
            image: 1,
            image_size: size(100, 50),
            row: 2,
            col: 3,
            rows: 4,
            cols: 13,
            source: rect(0, 0, 100, 50),
            offset: (0, 0),
            is_scaled: false,
            cell: size(8, 16),
            z: 0,
        };
        assert_eq!(piece.clipped(0..100, 0..100), Some(piece));
        let part = piece.clipped(3..5, 0..7).expect("a part");
        assert_eq!((part.row, part.col, part.rows, part.cols), (3, 3, 2, 4));
        assert_eq!(part.source, rect(0, 16, 32, 32));
        let scaled = ImagePiece { is_scaled: true, ..piece }.clipped(0..4, 0..100).expect("a part");
        assert_eq!((scaled.rows, scaled.source), (2, rect(0, 0, 100, 25)));
        assert_eq!(piece.clipped(6..9, 0..100), None);
        assert_eq!(piece.clipped(0..9, 0..3), None);
    }

    #[test]
    fn a_piece_that_no_screen_has_is_refused() {
        let size = PixelSize { width: 100, height: 50 };
        let piece = ImagePiece {
            image: 1,
            image_size: size,
            row: 2,
            col: 3,
            rows: 4,
            cols: 13,
            source: PixelRect { x: 0, y: 0, width: 100, height: 50 },
            offset: (0, 0),
            is_scaled: false,
            cell: PixelSize { width: 8, height: 16 },
            z: 0,
        };
        let decoded = |piece: ImagePiece| {
            let mut wire = Vec::new();
            put_pieces(&mut wire, &[piece]);
            read_pieces(&mut Reader::new(&wire))
        };
        assert_eq!(decoded(piece), Ok(vec![piece]));
        let source = |source| ImagePiece { source, ..piece };
        for hostile in [
            source(PixelRect { width: 0, ..piece.source }),
            source(PixelRect { height: 0, ..piece.source }),
            source(PixelRect { x: 1, ..piece.source }),
            source(PixelRect { y: u32::MAX, ..piece.source }),
            ImagePiece { rows: 0, ..piece },
            ImagePiece { row: u16::MAX, ..piece },
            ImagePiece { cols: 998, ..piece },
            ImagePiece { image_size: PixelSize { width: 99_999, height: 50 }, ..piece },
            ImagePiece { cell: PixelSize { width: 0, height: 16 }, ..piece },
        ] {
            assert!(decoded(hostile).is_err(), "{hostile:?}");
        }
    }
}
