//! The commands of sixel data, and the size of the image that they draw.

use super::super::data::PixelSize;

/// The pixels in a column of one row of sixels.
pub(super) const ROW_HEIGHT: u32 = 6;

/// One command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SixelCommand {
    /// `"`: the size of the image, as far as the program knows it.
    Raster { width: u32, height: u32 },
    /// `#`: the color register to draw with.
    Select(u32),
    /// `#` with a color: register, model (1 HLS, 2 RGB), values.
    Define(u32, u32, [u32; 3]),
    /// Columns of pixels: bits from top to bottom, and how often.
    Draw(u8, u32),
    /// `$`: back to the first column.
    Return,
    /// `-`: the next row of sixels.
    NextRow,
}

/// Reads commands from sixel data.
pub(super) struct SixelScanner<'a>(pub &'a [u8]);

impl SixelScanner<'_> {
    fn number(&mut self) -> u32 {
        let mut number = 0_u32;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.0 {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            self.0 = rest;
        }
        number
    }

    /// Numbers separated by semicolons, and how many there are; those beyond the fifth are ignored.
    fn numbers(&mut self) -> ([u32; 5], usize) {
        let (mut numbers, mut count) = ([0; 5], 0);
        loop {
            let number = self.number();
            if let Some(slot) = numbers.get_mut(count) {
                *slot = number;
                count += 1;
            }
            match self.0 {
                [b';', rest @ ..] => self.0 = rest,
                _ => return (numbers, count),
            }
        }
    }
}

impl Iterator for SixelScanner<'_> {
    type Item = SixelCommand;

    fn next(&mut self) -> Option<SixelCommand> {
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            return Some(match byte {
                b'?'..=b'~' => SixelCommand::Draw(byte - b'?', 1),
                b'$' => SixelCommand::Return,
                b'-' => SixelCommand::NextRow,
                b'!' => {
                    let count = self.number();
                    let [byte @ b'?'..=b'~', rest @ ..] = self.0 else { continue };
                    self.0 = rest;
                    SixelCommand::Draw(byte - b'?', count.max(1))
                }
                b'#' => match self.numbers() {
                    ([register, model, a, b, c], 5) => SixelCommand::Define(register, model, [a, b, c]),
                    ([register, ..], _) => SixelCommand::Select(register),
                },
                b'"' => {
                    let ([_, _, width, height, _], _) = self.numbers();
                    SixelCommand::Raster { width, height }
                }
                _ => continue,
            });
        }
    }
}

/// The size of the image that some sixel data draws; nothing if it draws none, or one that is too large.
pub(crate) fn measure(data: &[u8]) -> Option<PixelSize> {
    let mut size = PixelSize::default();
    let (mut x, mut y) = (0_u32, 0_u32);
    for command in SixelScanner(data) {
        match command {
            SixelCommand::Raster { width, height } => {
                size.width = size.width.max(width);
                size.height = size.height.max(height);
            }
            SixelCommand::Draw(bits, count) => {
                x = x.saturating_add(count);
                if bits != 0 {
                    size.width = size.width.max(x);
                    size.height = size.height.max(y + u8::BITS - bits.leading_zeros());
                }
            }
            SixelCommand::Return => x = 0,
            SixelCommand::NextRow => (x, y) = (0, y.saturating_add(ROW_HEIGHT).min(u32::MAX / 2)),
            SixelCommand::Select(_) | SixelCommand::Define(..) => {}
        }
    }
    size.is_drawable().then_some(size)
}
