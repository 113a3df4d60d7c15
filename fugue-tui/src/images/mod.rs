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
use fugue_screen::ImagePiece;

/// A part of an image at its place on the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownImage {
    pub(crate) pane: PaneId,
    /// Its rows and columns are those of the terminal.
    pub(crate) piece: ImagePiece,
}

impl ShownImage {
    /// The image, by its pane and its number there.
    fn key(&self) -> ImageKey {
        (self.pane, self.piece.image)
    }
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
