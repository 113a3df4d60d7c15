//! A placement: an image at a place in the text. It refers to the rows it covers by their anchors, so it moves with them
//! and disappears with them.

use super::command::KittyCommand;
use super::data::PixelSize;

/// The columns and rows of a placement; no screen is larger.
const MOST_CELLS: u32 = 1000;

/// A part of an image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PixelRect {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// How an image fits into cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fit {
    pub cols: u32,
    pub rows: u32,
    /// The part of the image that is shown.
    pub source: PixelRect,
    /// The offset within the first cell, in pixels.
    pub offset: [u32; 2],
    /// Whether the image fills its cells; otherwise a pixel is a pixel.
    pub is_scaled: bool,
    /// The size of a cell when the image was placed.
    pub cell: PixelSize,
}

impl Fit {
    /// A whole image in its own size.
    pub(crate) fn whole(image: PixelSize, cell: PixelSize) -> Self {
        Self::new(&KittyCommand::default(), image, cell)
    }

    /// The fit that a command asks for.
    pub(crate) fn new(command: &KittyCommand, image: PixelSize, cell: PixelSize) -> Self {
        let [x, y, width, height] = command.source;
        let (x, y) = (x.min(image.width - 1), y.min(image.height - 1));
        let part = |asked: u32, room: u32| if asked == 0 { room } else { asked.min(room) };
        let source =
            PixelRect { x, y, width: part(width, image.width - x), height: part(height, image.height - y) };
        let offset = [command.offset[0].min(cell.width - 1), command.offset[1].min(cell.height - 1)];
        let (cols, rows) = cells(command, source, offset, cell);
        let is_scaled = command.cols != 0 || command.rows != 0;
        Self { cols, rows, source, offset, is_scaled, cell }
    }

    /// The part of the image in some of its cells: columns `cols`, rows `rows`.
    pub(crate) fn part(&self, cols: (u32, u32), rows: (u32, u32)) -> PixelRect {
        let source = self.source;
        let (x, right) = self.along(cols, self.cols, source.width, self.cell.width, self.offset[0]);
        let (y, bottom) = self.along(rows, self.rows, source.height, self.cell.height, self.offset[1]);
        PixelRect { x: source.x + x, y: source.y + y, width: right - x, height: bottom - y }
    }

    /// The pixels of cells `from..to` of `count`, along one axis.
    fn along(&self, (from, to): (u32, u32), count: u32, pixels: u32, cell: u32, offset: u32) -> (u32, u32) {
        let scaled = |cells: u32| (u64::from(pixels) * u64::from(cells) / u64::from(count)) as u32;
        let (begin, end) = match self.is_scaled {
            true => (scaled(from), scaled(to)),
            false => ((from * cell).saturating_sub(offset), (to * cell).saturating_sub(offset)),
        };
        // A part has at least one pixel.
        let begin = begin.min(pixels - 1);
        (begin, end.clamp(begin + 1, pixels))
    }
}

/// The columns and rows that an image covers. If only one of them is given, the image keeps its proportions.
fn cells(command: &KittyCommand, source: PixelRect, offset: [u32; 2], cell: PixelSize) -> (u32, u32) {
    let scale = |cells: u32, from: (u32, u32), to: (u32, u32)| {
        let pixels =
            u64::from(cells.min(MOST_CELLS)) * u64::from(from.0) * u64::from(to.1) / u64::from(from.1);
        pixels.div_ceil(u64::from(to.0)).min(u64::from(MOST_CELLS)) as u32
    };
    let (across, down) = ((cell.width, source.width), (cell.height, source.height));
    let (cols, rows) = match (command.cols, command.rows) {
        (0, 0) => (
            (offset[0] + source.width).div_ceil(cell.width),
            (offset[1] + source.height).div_ceil(cell.height),
        ),
        (cols, 0) => (cols, scale(cols, across, down)),
        (0, rows) => (scale(rows, down, across), rows),
        given => given,
    };
    (cols.clamp(1, MOST_CELLS), rows.clamp(1, MOST_CELLS))
}

/// An image at a place in the text.
#[derive(Debug, Clone)]
pub(crate) struct Placement {
    /// The image's key.
    pub image: u64,
    /// The number that the program gave the placement, or 0.
    pub number: u32,
    pub z: i32,
    /// The first column.
    pub col: u32,
    pub fit: Fit,
    /// The anchors of the rows, from the first row of the image on. Rows below the screen have none.
    pub rows: Vec<u32>,
    /// Whether text and erasing replace the image, as with sixel: it is visible only in cells that are marked.
    pub is_erasable: bool,
}

impl Placement {
    /// The cells that are searched for what is visible of the image.
    pub(crate) fn searched_cells(&self) -> usize {
        if self.is_erasable { self.rows.len() * self.fit.cols as usize } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: PixelSize = PixelSize { width: 8, height: 16 };
    const IMAGE: PixelSize = PixelSize { width: 100, height: 50 };

    fn fit(control: &str) -> Fit {
        Fit::new(&KittyCommand::parse(control.as_bytes()).expect("a command"), IMAGE, CELL)
    }

    #[test]
    fn an_image_covers_the_cells_it_needs_or_was_given() {
        let cells = |control: &str| (fit(control).cols, fit(control).rows);
        assert_eq!(cells(""), (13, 4));
        assert_eq!(cells("X=7,Y=15"), (14, 5));
        assert_eq!(cells("x=50,w=30,h=16"), (4, 1));
        assert_eq!(cells("c=20,r=2"), (20, 2));
        assert_eq!(cells("c=25"), (25, 7), "200x100 pixels");
        assert_eq!(cells("r=1"), (4, 1), "32x16 pixels");
        assert_eq!(cells("c=4294967295,r=4294967295"), (1000, 1000));
        assert_eq!(cells("x=4000000000,y=4000000000,w=4000000000"), (1, 1));
    }

    #[test]
    fn a_part_of_the_cells_shows_a_part_of_the_image() {
        let rect = |x, y, width, height| PixelRect { x, y, width, height };
        assert_eq!(fit("").part((0, 13), (0, 4)), rect(0, 0, 100, 50));
        assert_eq!(fit("").part((2, 13), (1, 3)), rect(16, 16, 84, 32));
        assert_eq!(fit("c=10,r=10").part((5, 10), (0, 1)), rect(50, 0, 50, 5));
        assert_eq!(fit("Y=4").part((0, 1), (1, 2)), rect(0, 12, 8, 16));
        assert_eq!(fit("w=1,h=1,c=900,r=900").part((899, 900), (3, 4)), rect(0, 0, 1, 1));
    }
}
