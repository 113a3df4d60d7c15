//! A screenshot in pixels, for models that read images. GNU Unifont's bitmaps need no font files and cover nearly every
//! script. Missing characters (most emoji) are an empty box, and of a cluster only the first character is drawn.

use std::io;

use super::span_colors;
use crate::color_overrides::{BACKGROUND, CURSOR};
use crate::palette::TerminalPalette;
use crate::row_view::Span;
use crate::screen::Screen;
use crate::style::{Attrs, Rgb, Underline};

/// The size of a cell in pixels.
const CELL: (usize, usize) = (8, 16);

/// Everything needed to draw a screenshot, so that it can be drawn on another thread than the screen's.
#[derive(Debug, Clone)]
pub struct ScreenImage {
    cols: usize,
    rows: usize,
    background: Rgb,
    cells: Vec<PaintedCell>,
}

#[derive(Debug, Clone)]
struct PaintedCell {
    at: (usize, usize),
    c: char,
    width: usize,
    fg: Rgb,
    bg: Option<Rgb>,
    bold: bool,
    underlined: bool,
    struck: bool,
}

impl Screen {
    /// The visible screen, ready to be drawn; `None` if it is too large.
    pub fn image(&self) -> Option<ScreenImage> {
        let (cols, rows) = (usize::from(self.size().cols), usize::from(self.size().rows));
        if !self.fits_picture() {
            return None;
        }
        let colors = self.picture_palette();
        let mut cells = Vec::new();
        for (at, row) in self.rows().iter().enumerate() {
            let mut col = 0;
            for span in &row.spans {
                paint_span(span, &colors, at, &mut col, &mut cells);
            }
        }
        let cursor = self.cursor();
        if cursor.visible {
            let at = (usize::from(cursor.row), usize::from(cursor.col));
            paint_cursor(at, &colors, &mut cells);
        }
        Some(ScreenImage { cols, rows, background: colors.get(BACKGROUND), cells })
    }
}

fn paint_span(
    span: &Span,
    colors: &TerminalPalette,
    row: usize,
    col: &mut usize,
    cells: &mut Vec<PaintedCell>,
) {
    let painted = span_colors(&span.style, colors);
    let shown = if span.cluster { 1 } else { usize::MAX };
    for c in span.text.chars().take(shown) {
        cells.push(PaintedCell {
            at: (row, *col),
            c,
            width: usize::from(span.width),
            fg: painted.fg,
            bg: painted.bg,
            bold: span.style.attrs.contains(Attrs::BOLD),
            underlined: span.style.underline != Underline::None,
            struck: span.style.attrs.contains(Attrs::STRIKE),
        });
        *col += usize::from(span.width);
    }
}

/// Draws the cursor as a block, with the character under it in the color of the background.
fn paint_cursor(at: (usize, usize), colors: &TerminalPalette, cells: &mut Vec<PaintedCell>) {
    let under = cells.iter().find(|cell| cell.at == at).cloned();
    let background = colors.get(BACKGROUND);
    let blank = PaintedCell {
        at,
        c: ' ',
        width: 1,
        fg: background,
        bg: None,
        bold: false,
        underlined: false,
        struck: false,
    };
    let painted = PaintedCell { fg: background, bg: Some(colors.get(CURSOR)), ..under.unwrap_or(blank) };
    cells.push(painted);
}

impl ScreenImage {
    /// Encodes the screenshot as PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let (width, height) = (self.cols * CELL.0, self.rows * CELL.1);
        let mut pixels = Pixels { width, height, bytes: Vec::with_capacity(width * height * 3) };
        (0..width * height).for_each(|_| pixels.bytes.extend(bytes(self.background)));
        self.cells.iter().for_each(|cell| pixels.cell(cell));
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels.bytes)?;
        Ok(file)
    }
}

fn bytes((r, g, b): Rgb) -> [u8; 3] {
    [r, g, b]
}

struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    fn cell(&mut self, cell: &PaintedCell) {
        let (top, left) = (cell.at.0 * CELL.1, cell.at.1 * CELL.0);
        let width = cell.width * CELL.0;
        if let Some(bg) = cell.bg {
            (0..CELL.1).for_each(|y| (0..width).for_each(|x| self.set(left + x, top + y, bg)));
        }
        for y in 0..CELL.1 {
            let line = line(cell, y, width);
            for x in 0..width {
                let lined = (cell.underlined && y == CELL.1 - 2) || (cell.struck && y == CELL.1 / 2);
                if lined || line & (1 << (width - 1 - x)) != 0 {
                    self.set(left + x, top + y, cell.fg);
                }
            }
        }
    }

    fn set(&mut self, x: usize, y: usize, color: Rgb) {
        if x < self.width && y < self.height {
            let at = (y * self.width + x) * 3;
            self.bytes[at..at + 3].copy_from_slice(&bytes(color));
        }
    }
}

/// One line of pixels of a character, the leftmost in the highest of `width` bits.
fn line(cell: &PaintedCell, y: usize, width: usize) -> u32 {
    let bits = match unifont::get_glyph(cell.c) {
        _ if cell.c == ' ' => 0,
        Some(unifont::Glyph::Halfwidth(rows)) => u32::from(rows[y]) << (width - CELL.0),
        // A character that is wider than its cell shows its left half.
        Some(unifont::Glyph::Fullwidth(rows)) => u32::from(rows[y]) >> (2 * CELL.0 - width),
        None => missing(y, width),
    };
    if cell.bold { bits | bits >> 1 } else { bits }
}

/// An empty box.
fn missing(y: usize, width: usize) -> u32 {
    let whole = (1 << (width - 1)) - 2;
    match y {
        2 | 13 => whole,
        3..=12 => (1 << (width - 2)) | 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Size};

    fn pixels(text: &str) -> (usize, Vec<u8>) {
        let mut screen = Screen::new(Size { cols: 4, rows: 1 }, Limits::default());
        screen.feed(b"\x1b[?25l");
        screen.feed(text.as_bytes());
        let file = screen.image().expect("it is small").png().expect("a picture");
        let mut reader = png::Decoder::new(io::Cursor::new(file)).read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("a frame");
        (info.width as usize, bytes)
    }

    fn drawn(text: &str, from: usize, to: usize) -> usize {
        let (width, bytes) = pixels(text);
        let background = &bytes[(width - 1) * 3..width * 3];
        let set = |(at, pixel): (usize, &[u8])| (from..to).contains(&(at % width)) && pixel != background;
        bytes.chunks(3).enumerate().filter(|(at, pixel)| set((*at, *pixel))).count()
    }

    #[test]
    fn letters_and_wide_characters_are_drawn_in_their_cells() {
        assert!(drawn("a", 0, 8) > 8);
        assert_eq!(drawn("a", 8, 32), 0);
        assert!(drawn("漢", 8, 16) > 8, "a wide character has two cells");
        assert!(drawn("\x1b[1ma", 0, 8) > drawn("a", 0, 8), "bold is heavier");
        assert_eq!(drawn("\x1b[41m  ", 0, 16), 16 * 16, "a background fills its cells");
    }

    #[test]
    fn a_character_missing_from_the_font_is_an_empty_box() {
        assert!(drawn("\u{10fffd}", 0, 8) > 0);
    }

    #[test]
    fn a_screen_that_is_too_large_has_no_screenshot() {
        let screen = Screen::new(Size { cols: 1000, rows: 1000 }, Limits::default());
        assert!(screen.image().is_none());
    }
}
