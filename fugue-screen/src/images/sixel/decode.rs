//! Decoding sixel data to pixels.

use super::super::data::PixelSize;
use super::colors::{REGISTERS, color, registers};
use super::scan::{ROW_HEIGHT, SixelCommand, SixelScanner};
use crate::style::Rgb;

/// How often the data may draw each pixel, on average. Programs draw one once or twice; a few megabytes of repeated runs
/// could draw billions.
const MOST_OVERDRAW: u64 = 16;

/// A decoded image: for each pixel the number of its color, or 0 where it is transparent.
#[derive(Debug, Clone)]
pub struct SixelImage {
    pub(super) size: PixelSize,
    pub(super) pixels: Vec<u16>,
    /// Color 1 is the first.
    pub(super) colors: Vec<Rgb>,
}

impl SixelImage {
    /// Decodes a device control string without its introducer and terminator. What is drawn outside of `size` is
    /// ignored, and so is everything after each pixel was drawn `MOST_OVERDRAW` times on average.
    pub fn decode(data: &[u8], size: PixelSize) -> Option<Self> {
        let start = data.iter().position(|&byte| byte == b'q')?;
        let (header, body) = (&data[..start], &data[start + 1..]);
        if !size.is_drawable() {
            return None;
        }
        // The second parameter says whether the background stays as it is.
        let is_transparent = header.split(|&byte| byte == b';').nth(1) == Some(b"1");
        let background = u16::from(!is_transparent);
        let pixels = vec![background; size.width as usize * size.height as usize];
        let mut image = Self { size, pixels, colors: registers() };
        image.draw(body);
        Some(image)
    }

    fn draw(&mut self, body: &[u8]) {
        let (mut x, mut y, mut register) = (0_u32, 0_u32, 0);
        let mut left = self.pixels.len() as u64 * MOST_OVERDRAW;
        for command in SixelScanner(body) {
            match command {
                SixelCommand::Raster { .. } => {}
                SixelCommand::Select(number) => register = number as usize % REGISTERS,
                SixelCommand::Define(number, model, values) => {
                    register = number as usize % REGISTERS;
                    self.colors[register] = color(model, values);
                }
                SixelCommand::Draw(bits, count) => {
                    let end = x.saturating_add(count).min(self.size.width);
                    let drawn = u64::from(end - x) * u64::from(bits.count_ones());
                    let Some(rest) = left.checked_sub(drawn) else { return };
                    left = rest;
                    self.draw_column(bits, (x, end), y, register as u16 + 1);
                    x = end;
                }
                SixelCommand::Return => x = 0,
                SixelCommand::NextRow => (x, y) = (0, y.saturating_add(ROW_HEIGHT)),
            }
        }
    }

    fn draw_column(&mut self, bits: u8, (x, end): (u32, u32), y: u32, color: u16) {
        for bit in (0..ROW_HEIGHT).filter(|bit| bits & (1 << bit) != 0) {
            let row = y.saturating_add(bit);
            if row < self.size.height {
                let begin = row as usize * self.size.width as usize;
                self.pixels[begin + x as usize..begin + end as usize].fill(color);
            }
        }
    }

    /// The number of its pixels.
    pub fn pixel_count(&self) -> usize {
        self.pixels.len()
    }

    /// The pixels as four bytes each.
    pub fn rgba(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.pixels.len() * 4);
        for &pixel in &self.pixels {
            let color = usize::from(pixel).checked_sub(1).map(|number| self.colors[number]);
            out.extend(color.map_or([0; 4], |(r, g, b)| [r, g, b, 255]));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_draws_the_same_pixels_again_and_again_is_cut_off() {
        let size = PixelSize { width: 1000, height: 6 };
        let row = |color: u16| format!("#{color}!1000~$");
        let data: String = (0..MOST_OVERDRAW as u16 + 1).map(row).collect();
        let image = SixelImage::decode(format!("q{data}").as_bytes(), size).expect("an image");
        assert!(
            image.pixels.iter().all(|color| *color == MOST_OVERDRAW as u16),
            "the last color is not drawn"
        );
    }
}
