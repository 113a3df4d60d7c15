//! Deleting images (`a=d`). A capital letter also frees the images themselves, unless they are shown elsewhere.

use crate::images::{ImagePiece, KittyCommand, Placement, StoredImage};
use crate::terminal::Terminal;

/// A deletion: which placements it means.
struct Deletion<'a> {
    command: &'a KittyCommand,
    /// The letter of the command in lower case.
    kind: u8,
    /// What is visible.
    pieces: Vec<ImagePiece>,
    /// The row and column of the cursor, counted from 1.
    cursor: (u32, u32),
}

impl Terminal {
    pub(super) fn delete_images(&mut self, command: &KittyCommand) {
        self.spend_image_search();
        self.images.refresh(&self.buffers, self.revisions.current);
        self.work.spend(self.images.placements.len() * self.images.pieces.len());
        let letter = if command.deletion == 0 { b'a' } else { command.deletion };
        let deletion = Deletion {
            command,
            kind: letter.to_ascii_lowercase(),
            pieces: self.images.pieces.clone(),
            cursor: (self.caret.row as u32 + 1, self.caret.col as u32 + 1),
        };
        let store = &self.images.store;
        let newest = store.find(0, command.number).map(|image| image.key);
        let named = store.images.iter().filter(|image| deletion.names(image, newest));
        let named: Vec<u64> = named.map(|image| image.key).collect();
        let mut removed = Vec::new();
        self.images.placements.retain(|placement| {
            let goes = named.contains(&placement.image) && deletion.means(placement);
            removed.extend(goes.then_some(placement.image));
            !goes
        });
        if letter.is_ascii_uppercase() {
            // An image that is named is freed although it may not be shown at all.
            self.free_images(if matches!(letter, b'I' | b'N' | b'R') { &named } else { &removed });
        }
    }

    /// Frees images that are shown nowhere.
    fn free_images(&mut self, keys: &[u64]) {
        let placements = &self.images.placements;
        let is_shown = |key: u64| placements.iter().any(|placement| placement.image == key);
        self.images.store.images.retain(|image| !keys.contains(&image.key) || is_shown(image.key));
    }
}

impl Deletion<'_> {
    /// Whether the command names an image, or no image in particular. `newest` is the one of the command's number.
    fn names(&self, image: &StoredImage, newest: Option<u64>) -> bool {
        let [first, last, ..] = self.command.source;
        match self.kind {
            b'i' => image.id != 0 && image.id == self.command.id,
            b'n' => Some(image.key) == newest,
            b'r' => image.id != 0 && (first..=last).contains(&image.id),
            _ => true,
        }
    }

    /// Whether the command means a placement of an image that it names.
    fn means(&self, placement: &Placement) -> bool {
        let [x, y, ..] = self.command.source;
        match self.kind {
            b'a' => self.covers(placement, None, None),
            b'i' | b'n' => self.command.placement == 0 || placement.number == self.command.placement,
            b'r' => true,
            b'c' => self.covers(placement, Some(self.cursor.0), Some(self.cursor.1)),
            b'p' => self.covers(placement, Some(y), Some(x)),
            b'q' => placement.z == self.command.z && self.covers(placement, Some(y), Some(x)),
            b'x' => self.covers(placement, None, Some(x)),
            b'y' => self.covers(placement, Some(y), None),
            b'z' => placement.z == self.command.z,
            _ => false,
        }
    }

    /// Whether a placement is visible in a cell; nothing stands for any row or column.
    fn covers(&self, placement: &Placement, row: Option<u32>, col: Option<u32>) -> bool {
        let within = |first: u16, count: u16, at: Option<u32>| {
            at.is_none_or(|at| {
                (u32::from(first)..u32::from(first) + u32::from(count)).contains(&at.wrapping_sub(1))
            })
        };
        self.pieces.iter().any(|piece| {
            is_piece_of(piece, placement)
                && within(piece.row, piece.rows, row)
                && within(piece.col, piece.cols, col)
        })
    }
}

/// Whether a piece may belong to a placement: it shows the same image, in its columns.
fn is_piece_of(piece: &ImagePiece, placement: &Placement) -> bool {
    let (col, end) = (u32::from(piece.col), u32::from(piece.col) + u32::from(piece.cols));
    let is_same = (piece.image, piece.z) == (placement.image, placement.z);
    is_same && col >= placement.col && end <= placement.col + placement.fit.cols
}
