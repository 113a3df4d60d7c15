//! The kitty graphics protocol: images are transmitted in chunks, put somewhere, and deleted.
//!
//! Only direct transmission is supported. A program that may write to its terminal, such as `cat` of a file from the
//! network, must not be able to have the user's files or shared memory read.

use super::osc::split;
use crate::images::{
    Fit, ImageError, KittyCommand, NO_IMAGE, NO_PLACEHOLDERS, NOT_SUPPORTED, Placement, Transmission,
    TransmittedImage,
};
use crate::terminal::Terminal;
use crate::work_budget::ROW;

impl Terminal {
    pub(super) fn application_command(&mut self, text: &[u8]) {
        let Some(text) = text.strip_prefix(b"G") else { return };
        let (control, payload) = split(text);
        let Some(command) = KittyCommand::parse(control) else { return };
        let pending = self.images.pending.take();
        match (command.action, pending) {
            (None, Some(pending)) => self.add_chunk(*pending, &command, payload),
            (None | Some(b't' | b'T' | b'q'), _) => {
                let begun = Transmission::new(control, command.clone());
                self.add_chunk(begun, &command, payload);
            }
            (Some(b'p'), _) => self.put_image(&command),
            (Some(b'd'), _) => self.delete_images(&command),
            _ => self.answer_image_command(&command, Err(NOT_SUPPORTED)),
        }
    }

    fn add_chunk(&mut self, mut transmission: Transmission, chunk: &KittyCommand, payload: &[u8]) {
        transmission.add(payload, || self.images.store.drop_oldest());
        transmission.command.quiet = transmission.command.quiet.max(chunk.quiet);
        match chunk.more {
            true => self.images.pending = Some(Box::new(transmission)),
            false => self.finish_transmission(transmission),
        }
    }

    fn finish_transmission(&mut self, transmission: Transmission) {
        let mut command = transmission.command.clone();
        // The answer depends on the terminal that shows the program. No answer means no.
        if command.action == Some(b'q') && !self.images.support.kitty {
            return;
        }
        let image = match transmission.finish() {
            Ok(image) => image,
            Err(error) => return self.answer_image_command(&command, Err(error)),
        };
        let is_unnamed = (command.id, command.number) == (0, 0);
        match command.action {
            Some(b'q') => return self.answer_image_command(&command, Ok(())),
            Some(b'T') => {}
            _ if is_unnamed => return,
            _ => {}
        }
        if command.id == 0 && !is_unnamed {
            command.id = self.images.store.free_id();
        }
        let key = self.store_image((command.id, command.number), image);
        if command.action == Some(b'T') {
            self.place_image(key, &command);
        }
        self.answer_image_command(&command, Ok(()));
    }

    fn put_image(&mut self, command: &KittyCommand) {
        if command.is_virtual {
            return self.answer_image_command(command, Err(NO_PLACEHOLDERS));
        }
        self.refresh_images_if_full();
        match self.images.store.find(command.id, command.number).map(|image| (image.key, image.id)) {
            Some((key, id)) => {
                let command = KittyCommand { id, ..command.clone() };
                self.place_image(key, &command);
                self.answer_image_command(&command, Ok(()));
            }
            None => self.answer_image_command(command, Err(NO_IMAGE)),
        }
    }

    /// Places an image at the cursor, which moves behind the image's last row unless the program wants it to stay.
    fn place_image(&mut self, key: u64, command: &KittyCommand) {
        let Some(image) = self.images.store.get(key) else { return };
        let fit = Fit::new(command, image.size, self.images.cell());
        let number = command.placement;
        let is_same = |old: &Placement| number != 0 && old.image == key && old.number == number;
        self.images.placements.retain(|old| !is_same(old));
        let col = self.caret.col as u32;
        let rows = match command.keeps_cursor {
            true => self.anchor_rows_below(fit.rows),
            false => self.anchor_rows(fit.rows, |_| {}),
        };
        let placement = Placement { image: key, number, z: command.z, col, fit, rows, is_erasable: false };
        self.images.place(placement);
        if !command.keeps_cursor {
            self.move_behind_image(fit.cols as usize);
        }
    }

    fn move_behind_image(&mut self, cols: usize) {
        self.caret.wrap_pending = false;
        self.caret.col += cols;
        if self.caret.col >= self.cols() {
            self.caret.col = 0;
            self.index();
        }
    }

    /// Stores an image, and returns its key. Others may have to go for it; those that cannot be seen any more go first.
    pub(super) fn store_image(&mut self, (id, number): (u32, u32), image: TransmittedImage) -> u64 {
        self.refresh_images_if_full();
        let (key, gone) = self.images.store.insert(id, number, image);
        self.images.unplace(&gone);
        key
    }

    fn refresh_images_if_full(&mut self) {
        if self.images.is_full() {
            self.spend_image_search();
            self.refresh_images();
        }
    }

    /// Charges a search for what is visible of all images.
    pub(super) fn spend_image_search(&mut self) {
        self.work.spend(self.images.search_work(self.rows()));
    }

    /// Anchors the rows of an image from the cursor on, without moving the cursor. What does not fit is not visible.
    fn anchor_rows_below(&mut self, count: u32) -> Vec<u32> {
        let end = (self.caret.row + count as usize).min(self.rows());
        self.work.spend((end - self.caret.row) * ROW);
        (self.caret.row..end).map(|row| self.anchor(row)).collect()
    }

    /// Anchors the rows of an image from the cursor on. The cursor moves to the last, and the screen scrolls for it.
    /// `prepare` is called in each row.
    pub(super) fn anchor_rows(&mut self, count: u32, mut prepare: impl FnMut(&mut Self)) -> Vec<u32> {
        let mut rows = Vec::new();
        self.work.spend(count as usize * ROW);
        for number in 0..count {
            if number > 0 && !self.move_down_for_image() {
                break;
            }
            prepare(self);
            rows.push(self.anchor(self.caret.row));
        }
        rows
    }

    /// Moves down one row, and returns whether there was one.
    fn move_down_for_image(&mut self) -> bool {
        let next = self.caret.row + 1;
        let is_stuck = match next == self.buffers.margins.bottom {
            true => !self.within_columns(),
            false => next >= self.rows(),
        };
        if !is_stuck {
            self.index();
        }
        !is_stuck
    }

    /// The anchor of a row, which has one from now on.
    fn anchor(&mut self, row: usize) -> u32 {
        let anchor = &mut self.buffers.grid.rows[row].anchor;
        if *anchor == 0 {
            self.images.last_anchor = self.images.last_anchor.wrapping_add(1).max(1);
            *anchor = self.images.last_anchor;
        }
        *anchor
    }

    /// Removes the images from rows that are erased.
    pub(super) fn erase_images(&mut self, rows: std::ops::Range<usize>) {
        if !self.images.placements.is_empty() {
            self.buffers.grid.rows.range_mut(rows).for_each(|row| row.anchor = 0);
        }
    }

    /// Replies to a command, if the program gave the image an id or a number and wants replies. Only numbers are repeated.
    pub(super) fn answer_image_command(&mut self, command: &KittyCommand, result: Result<(), ImageError>) {
        let is_quiet = command.quiet >= if result.is_ok() { 1 } else { 2 };
        if is_quiet || (command.id, command.number) == (0, 0) {
            return;
        }
        let mut reply = format!("\x1b_Gi={}", command.id);
        for (key, number) in [('I', command.number), ('p', command.placement)] {
            if number != 0 {
                reply.push_str(&format!(",{key}={number}"));
            }
        }
        let text = result.map_or_else(|ImageError(text)| text, |()| "OK");
        self.reply(&format!("{reply};{text}\x1b\\"));
    }
}
