//! Images in panes: what the terminal can show, what is visible, and what the daemon sent.

use fugue_protocol::{PaneId, Rect};
use fugue_screen::{ImageData, ImagePiece, PixelSize};

use super::{App, env_var};
use crate::draw;
use crate::images::ShownImage;
use crate::paint::Canvas;
use crate::tty::raw_mode;
use crate::tty::terminal_replies::image_query;

impl App {
    /// Asks the terminal which images it can show. It answers when it likes, or never; until then it shows none.
    pub(super) fn query_images(&mut self) {
        self.measure_cell();
        self.display.send(image_query(env_var));
    }

    /// Measures a cell, if the terminal's size is known in pixels.
    pub(super) fn measure_cell(&mut self) {
        if let Some((width, height)) = raw_mode::cell_size() {
            self.display.images.cell = Some(PixelSize { width: width.into(), height: height.into() });
        }
    }

    pub(super) fn cell_size_reported(&mut self, width: u16, height: u16) {
        if raw_mode::cell_size().is_none() {
            self.display.images.cell = Some(PixelSize { width: width.into(), height: height.into() });
        }
    }

    /// Handles the last reply to the query: now it is known which images can be shown.
    pub(super) fn attributes_reported(&mut self, sixel: bool) {
        self.display.images.has_sixel = sixel;
        if self.display.images.protocol().is_some() || self.display.images.cell.is_some() {
            self.attach();
            self.display.redraw();
        }
    }

    /// Applies the setting.
    pub(super) fn choose_image_output(&mut self) {
        let before = self.display.images.protocol();
        let is_first = self.display.images.chosen.replace(self.config.settings.images).is_none();
        // The daemon is told for the first time when the client attaches.
        if self.display.images.protocol() != before && !is_first {
            self.remove_images();
            self.display.painter.forget();
            self.attach();
        }
    }

    /// Removes all images from the terminal.
    pub(super) fn remove_images(&mut self) {
        let removal = self.display.images.remove_all();
        if !removal.is_empty() {
            let _ = self.display.output.write(&removal);
        }
    }

    /// Handles a change of what is visible in a pane.
    pub(super) fn images_changed(&mut self, pane: PaneId, pieces: Option<&[ImagePiece]>) {
        if let Some(pieces) = pieces {
            self.display.images.library.retain_pieces(pane, pieces);
            self.display.redraw();
        }
    }

    pub(super) fn image_received(&mut self, pane: PaneId, image: &[u8]) {
        let Ok(image) = ImageData::decode(image) else { return };
        let is_visible = |pieces: &[ImagePiece]| pieces.iter().any(|piece| piece.image == image.key);
        if self.panes.mirrors.get(&pane).is_some_and(|mirror| is_visible(&mirror.images)) {
            self.display.images.library.insert(pane, image);
            self.display.redraw();
        }
    }

    /// The images of the window's panes, cut to what is visible of each pane.
    fn window_images(&self) -> Vec<ShownImage> {
        let Some(window) = self.tree.window() else { return Vec::new() };
        let (origin, area) = (self.view_origin(), self.window_area());
        let mut shown = Vec::new();
        for pane in window.panes.iter().filter(|pane| !window.zoomed || pane.active) {
            let Some(mirror) = self.panes.mirrors.get(&pane.pane_id) else { continue };
            let Some((place, skip)) = draw::visible_part(pane.place, origin, area) else { continue };
            for piece in &mirror.images {
                let rows = skip.row..skip.row + place.rows;
                let Some(piece) = piece.clipped(rows, skip.col..skip.col + place.cols) else { continue };
                let (row, col) = (piece.row - skip.row + place.row, piece.col - skip.col + place.col);
                shown.push(ShownImage { pane: pane.pane_id, piece: ImagePiece { row, col, ..piece } });
            }
        }
        shown
    }

    /// The images to show. What is open over the panes hides them all, since the terminal draws images over text.
    pub(super) fn visible_images(&self) -> Vec<ShownImage> {
        match self.overlays.is_empty() && !self.messages.shows_welcome() {
            true => self.window_images(),
            false => Vec::new(),
        }
    }

    /// Draws a placeholder for each image that cannot be shown.
    pub(super) fn draw_placeholders(&self, canvas: &mut Canvas) {
        for image in self.window_images().iter().filter(|image| !self.display.images.can_show(image)) {
            let ImagePiece { row, col, rows, cols, image_size, .. } = image.piece;
            draw::placeholder(canvas, Rect { col, row, cols, rows }, image_size);
        }
    }
}
