//! Images in panes, shown in the outer terminal: which ones are visible and where, and the sequences that draw and
//! remove them. Where an image cannot be shown, `draw` puts a placeholder.

mod kitty;
mod output;
mod sixel;

#[cfg(test)]
mod tests;

pub(crate) use output::ImageDisplay;

use std::collections::BTreeMap;

use fugue_protocol::PaneId;
use fugue_screen::{ImageData, ImagePiece, PixelSize};

/// A part of an image at its place on the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownImage {
    pub(crate) pane: PaneId,
    /// Its rows and columns are those of the frame.
    pub(crate) piece: ImagePiece,
}

impl ShownImage {
    /// The image, by its pane and its number there.
    fn key(&self) -> ImageKey {
        (self.pane, self.piece.image)
    }
}

/// How the cells of a frame appear on the terminal.
#[derive(Debug, Clone, Copy)]
struct TerminalCells {
    /// The size of a cell, if it is known.
    size: Option<PixelSize>,
    /// How many rows a frame is moved down, because the status line is at the top.
    top_rows: u16,
}

/// An image: its pane, and its number there.
pub(crate) type ImageKey = (PaneId, u64);

/// A way to show images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageProtocol {
    /// The kitty graphics protocol. Sixel images are shown with it, too.
    Kitty,
    Sixel,
}

/// The images that the daemon sent: those that are visible in the panes that the client watches. The daemon sends each
/// once, and assumes that it is forgotten when it is not visible any more. The number of bytes is therefore bounded by
/// the daemon.
#[derive(Debug, Default)]
pub(crate) struct ImageLibrary(BTreeMap<ImageKey, ImageData>);

impl ImageLibrary {
    pub(crate) fn insert(&mut self, pane: PaneId, image: ImageData) {
        self.0.insert((pane, image.key), image);
    }

    fn get(&self, key: ImageKey) -> Option<&ImageData> {
        self.0.get(&key)
    }

    /// Forgets the images of a pane that are not visible in it any more.
    pub(crate) fn retain_pieces(&mut self, pane: PaneId, pieces: &[ImagePiece]) {
        self.0.retain(|key, _| key.0 != pane || pieces.iter().any(|piece| piece.image == key.1));
    }

    /// Forgets the images of panes that are not watched any more.
    pub(crate) fn retain_panes(&mut self, is_watched: impl Fn(PaneId) -> bool) {
        self.0.retain(|key, _| is_watched(key.0));
    }
}
