//! The images that the daemon sent: those that are visible in the panes that the client watches. The daemon sends each
//! once, and assumes that it is forgotten when it is not visible any more. The number of bytes is therefore bounded by
//! the daemon.

use std::collections::BTreeMap;

use fugue_protocol::PaneId;
use fugue_screen::{ImageData, ImagePiece};

use super::ImageKey;

/// The images that the client has.
#[derive(Debug, Default)]
pub(crate) struct ImageLibrary(BTreeMap<ImageKey, ImageData>);

impl ImageLibrary {
    pub(crate) fn insert(&mut self, pane: PaneId, image: ImageData) {
        self.0.insert((pane, image.key), image);
    }

    pub(super) fn get(&self, key: ImageKey) -> Option<&ImageData> {
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
