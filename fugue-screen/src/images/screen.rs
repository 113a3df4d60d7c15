//! The public interface to a screen's images.

use std::sync::Arc;

use super::piece::CELL_SIDE;
use super::{ImageData, ImagePiece, ImageSupport, PixelSize};
use crate::screen::Screen;

impl Screen {
    /// Sets the size of a cell of the viewer's terminal, which programs can ask for. An implausible one counts as unknown.
    pub fn set_cell_size(&mut self, cell: Option<PixelSize>) {
        let plausible =
            |cell: &PixelSize| CELL_SIDE.contains(&cell.width) && CELL_SIDE.contains(&cell.height);
        self.terminal.images.cell = cell.filter(plausible);
    }

    /// The size of a cell of the viewer's terminal.
    pub fn cell_size(&self) -> Option<PixelSize> {
        self.terminal.images.cell
    }

    /// Sets what the viewer's terminal can show, which programs can ask for.
    pub fn set_image_support(&mut self, support: ImageSupport) {
        self.terminal.images.support = support;
    }

    /// The visible parts of images, in the order in which they are drawn.
    pub fn image_pieces(&self) -> &[ImagePiece] {
        &self.terminal.images.pieces
    }

    /// The images that are visible. One whose bytes had to be dropped is missing: a placeholder takes its place.
    pub fn visible_images(&self) -> Vec<Arc<ImageData>> {
        let images = &self.terminal.images;
        let mut visible: Vec<Arc<ImageData>> = Vec::new();
        for piece in &images.pieces {
            if let Some(data) = images.store.get(piece.image).and_then(|image| image.data.as_ref())
                && !visible.iter().any(|known| known.key == data.key)
            {
                visible.push(Arc::clone(data));
            }
        }
        visible
    }
}
