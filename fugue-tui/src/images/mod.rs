//! Images in panes, shown in the outer terminal: which ones are visible and where, and the sequences that draw and
//! remove them. Where an image cannot be shown, `draw` puts a placeholder.

mod kitty;
mod library;
mod output;
mod sixel;
#[cfg(test)]
mod tests;

pub(crate) use library::ImageLibrary;
pub(crate) use output::ImageDisplay;

use fugue_protocol::PaneId;
use fugue_screen::{ImagePiece, PixelSize};

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
