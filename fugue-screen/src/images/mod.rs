//! Images in a pane: the kitty graphics protocol and sixel. The screen keeps them as they were transmitted, and knows
//! which parts are visible in which cells. Viewers draw them, or a placeholder.
//!
//! The effects of the sequences are in `control`. Here is what they work on: the images ([`store`]), the places where
//! they are shown ([`placement`]) and what follows from both ([`piece`]).

mod bytes;
mod command;
mod data;
mod piece;
mod placement;
mod screen;
pub(crate) mod sixel;
mod store;
mod transmission;

pub use data::{ImageData, ImageFormat, PixelSize};
pub use piece::ImagePiece;
pub use placement::PixelRect;
pub use sixel::SixelImage;

pub(crate) use bytes::CountedBytes;
pub(crate) use command::{KittyCommand, LONGEST_CONTROL};
pub(crate) use piece::{put_pieces, read_pieces};
pub(crate) use placement::{Fit, Placement};
pub(crate) use store::{ImageStore, MOST_IMAGES, StoredImage};
pub(crate) use transmission::{
    EARLY_ERRORS, HEAD_BYTES, IMAGE_BYTES, ImageError, MOST_CHUNKS, NO_IMAGE, NO_PLACEHOLDERS, NOT_SUPPORTED,
    Transmission, TransmittedImage,
};

use std::collections::BTreeSet;

use crate::terminal::ScreenBuffers;

/// The placements of a pane: more than a file manager shows at once.
pub(crate) const MOST_PLACEMENTS: usize = 128;

/// The cells of all images in sixel, which are searched for what is left of them whenever the screen changes: more than
/// twenty screens of usual size. A single larger image is kept.
const MOST_SEARCHED_CELLS: usize = 256 << 10;

/// Finding a row by its anchor costs about as much as filling this many cells.
const ROW_SEARCH: usize = 16;

/// The size of a cell where the viewer's is unknown.
const USUAL_CELL: PixelSize = PixelSize { width: 8, height: 16 };

/// The images that a viewer's terminal can show, so that answers to programs are correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageSupport {
    /// Those of the kitty graphics protocol.
    pub kitty: bool,
    /// Those in sixel.
    pub sixel: bool,
}

/// The images of a pane and where they are shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Images {
    pub store: ImageStore,
    /// In the order in which they were made.
    pub placements: Vec<Placement>,
    /// A transmission of which chunks are missing.
    pub pending: Option<Box<Transmission>>,
    /// The last anchor that was given to a row.
    pub last_anchor: u32,
    /// What is visible, in the order in which it is drawn.
    pub pieces: Vec<ImagePiece>,
    /// The revision in which that last changed.
    pub revision: u64,
    /// The size of a cell of the viewer's terminal.
    pub cell: Option<PixelSize>,
    /// What the viewer's terminal can show.
    pub support: ImageSupport,
}

impl Images {
    pub(crate) fn cell(&self) -> PixelSize {
        self.cell.unwrap_or(USUAL_CELL)
    }

    /// Forgets all images; what is known about the viewer stays.
    pub(crate) fn reset(&mut self) {
        let (store, last_anchor) =
            (ImageStore { last_key: self.store.last_key, ..Default::default() }, self.last_anchor);
        let (cell, support, revision) = (self.cell, self.support, self.revision);
        let pieces = std::mem::take(&mut self.pieces);
        *self = Self { store, last_anchor, cell, support, revision, pieces, ..Self::default() };
    }

    /// Whether nothing is or was visible, as in nearly all panes.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.placements.is_empty() && self.pieces.is_empty()
    }

    /// Whether there are as many images or placements as there may be.
    pub(crate) fn is_full(&self) -> bool {
        self.placements.len() >= MOST_PLACEMENTS || self.store.images.len() >= MOST_IMAGES
    }

    /// Adds a placement. The oldest are dropped if there are too many.
    pub(crate) fn place(&mut self, placement: Placement) {
        if self.placements.len() >= MOST_PLACEMENTS {
            self.placements.remove(0);
        }
        self.placements.push(placement);
        let mut cells: usize = self.placements.iter().map(Placement::searched_cells).sum();
        while cells > MOST_SEARCHED_CELLS
            && let Some(oldest) =
                self.placements[..self.placements.len() - 1].iter().position(|old| old.is_erasable)
        {
            cells -= self.placements.remove(oldest).searched_cells();
        }
    }

    /// The work of a search for what is visible on a screen of this many rows, in cells.
    pub(crate) fn search_work(&self, rows: usize) -> usize {
        let placements = self.placements.iter();
        placements.map(|placed| placed.searched_cells() + ROW_SEARCH * placed.rows.len()).sum::<usize>()
            + 2 * ROW_SEARCH * rows
    }

    /// Drops the placements of images that are gone.
    pub(crate) fn unplace(&mut self, images: &[u64]) {
        self.placements.retain(|placement| !images.contains(&placement.image));
    }

    /// Brings the pieces up to date after the screen changed, and drops what can never be seen again.
    pub(crate) fn refresh(&mut self, buffers: &ScreenBuffers, revision: u64) {
        let (shown, hidden) = (piece::anchored_rows(&buffers.grid), piece::anchored_rows(&buffers.hidden));
        let exists = |anchor: &u32| shown.contains_key(anchor) || hidden.contains_key(anchor);
        self.placements.retain(|placement| placement.rows.iter().any(exists));
        self.drop_unused();
        let mut pieces = Vec::new();
        for placement in &self.placements {
            if let Some(image) = self.store.get(placement.image) {
                piece::add_pieces(placement, image.size, &buffers.grid, &shown, &mut pieces);
            }
        }
        pieces.sort_by_key(|piece| piece.z);
        if pieces != self.pieces {
            self.pieces = pieces;
            self.revision = revision;
        }
    }

    /// Brings the pieces up to date after a resize. Wrapping drops blank cells at the end of a line and with them the
    /// marks of erasable images, so these stay whole from now on.
    pub(crate) fn after_resize(&mut self, buffers: &ScreenBuffers, revision: u64) {
        if !self.is_idle() {
            self.placements.iter_mut().for_each(|placement| placement.is_erasable = false);
            self.refresh(buffers, revision);
        }
    }

    /// Drops images that are not shown and that the program cannot name.
    fn drop_unused(&mut self) {
        let shown: BTreeSet<u64> = self.placements.iter().map(|placement| placement.image).collect();
        self.store.images.retain(|image| image.id != 0 || image.number != 0 || shown.contains(&image.key));
    }
}
