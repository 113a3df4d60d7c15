//! What is known about the outer terminal's images, and the images that it is to show.

use fugue_config::ImageOutput;
use fugue_protocol::{Rect, Size};
use fugue_screen::{ImageFormat, PixelSize};

use super::kitty::{self, KittyImages};
use super::sixel::SixelImages;
use super::{ImageLibrary, ImageProtocol, ShownImage, TerminalCells};
use crate::paint::WrittenRun;

/// The images of the outer terminal.
#[derive(Debug, Default)]
pub(crate) struct ImageDisplay {
    pub(crate) library: ImageLibrary,
    /// What the person chose.
    pub(crate) chosen: Option<ImageOutput>,
    /// Whether the terminal said that it has the kitty graphics protocol.
    pub(crate) has_kitty: bool,
    /// Whether the terminal said that it has sixel.
    pub(crate) has_sixel: bool,
    /// The size of a cell, if it is known.
    pub(crate) cell: Option<PixelSize>,
    /// How many rows a frame is moved down, because the status line is at the top.
    pub(crate) top_rows: u16,
    kitty: KittyImages,
    sixel: SixelImages,
    /// What the next frame shows.
    wanted: Vec<ShownImage>,
}

impl ImageDisplay {
    /// The way in which images are shown; nothing if there is none.
    pub(crate) fn protocol(&self) -> Option<ImageProtocol> {
        match self.chosen.unwrap_or(ImageOutput::Auto) {
            ImageOutput::Auto if self.has_kitty => Some(ImageProtocol::Kitty),
            ImageOutput::Auto if self.has_sixel => Some(ImageProtocol::Sixel),
            ImageOutput::Auto | ImageOutput::Off => None,
            ImageOutput::Kitty => Some(ImageProtocol::Kitty),
            ImageOutput::Sixel => Some(ImageProtocol::Sixel),
        }
    }

    /// Whether an image can be shown. Otherwise a placeholder takes its place.
    pub(crate) fn can_show(&self, image: &ShownImage) -> bool {
        let format = self.library.get(image.key()).map(|data| data.format);
        match self.protocol() {
            Some(ImageProtocol::Kitty) if format == Some(ImageFormat::Sixel) => kitty::can_convert(image),
            Some(ImageProtocol::Kitty) => format.is_some(),
            Some(ImageProtocol::Sixel) => {
                format == Some(ImageFormat::Sixel) && !self.sixel.has_refused(image.key())
            }
            None => false,
        }
    }

    /// Sets what the next frame shows. Returns the cells that must be written for it although they did not change.
    pub(crate) fn prepare(&mut self, wanted: Vec<ShownImage>, size: Size) -> Vec<Rect> {
        self.wanted = wanted.into_iter().filter(|image| self.can_show(image)).collect();
        if self.protocol() != Some(ImageProtocol::Sixel) {
            return Vec::new();
        }
        self.wanted = SixelImages::above_last_row(&self.wanted, size, self.top_rows);
        self.sixel.take_unwanted(&self.wanted)
    }

    /// Writes what makes the terminal show the images of a frame whose text was just written. Returns whether there is
    /// more to write.
    pub(crate) fn show(&mut self, written: &[WrittenRun], is_cleared: bool, out: &mut Vec<u8>) -> bool {
        if is_cleared {
            self.kitty.forget();
            self.sixel.forget();
        }
        let cells = TerminalCells { size: self.cell, top_rows: self.top_rows };
        match self.protocol() {
            Some(ImageProtocol::Kitty) => self.kitty.show(&self.wanted, &self.library, cells, out),
            Some(ImageProtocol::Sixel) => self.sixel.show(&self.wanted, &self.library, cells, written, out),
            None => false,
        }
    }

    /// Removes all images, before the terminal is given back or another way of showing them is chosen.
    pub(crate) fn remove_all(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.kitty.remove_all(&mut out);
        self.sixel.forget();
        out
    }
}

#[cfg(test)]
impl ImageDisplay {
    /// How many sixel images are kept decoded, and how many parts encoded.
    pub(super) fn kept_sixels(&self) -> (usize, usize) {
        self.sixel.kept()
    }
}
