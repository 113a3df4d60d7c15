//! What a program has not read yet, in order; of what a person typed it is written down when the program has it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use crate::client::Receipt;

/// What waits for the program.
#[derive(Default)]
pub(super) struct Unread {
    bytes: VecDeque<u8>,
    pieces: VecDeque<Piece>,
}

/// Bytes that came together.
struct Piece {
    count: usize,
    receipt: Option<Receipt>,
}

impl Unread {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.pieces.clear();
    }

    /// Puts bytes behind the others.
    pub(super) fn put(&mut self, bytes: &[u8], receipt: Option<Receipt>) {
        self.bytes.extend(bytes);
        match self.pieces.back_mut().filter(|last| last.receipt.is_none() && receipt.is_none()) {
            Some(last) => last.count += bytes.len(),
            None if bytes.is_empty() => {}
            None => self.pieces.push_back(Piece { count: bytes.len(), receipt }),
        }
    }

    /// Lets the program read as much as it takes now.
    pub(super) fn write_to(&mut self, master: BorrowedFd<'_>) -> io::Result<()> {
        while let Some(piece) = self.pieces.front_mut() {
            let (first, _) = self.bytes.as_slices();
            let first = &first[..first.len().min(piece.count)];
            let count = piece.write(master, first)?;
            self.bytes.drain(..count);
            if piece.count == 0 {
                self.pieces.pop_front();
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn text(&mut self) -> &[u8] {
        self.bytes.make_contiguous()
    }
}

impl Piece {
    /// A kill before the last line leaves a doubt about these bytes, and about no others.
    fn write(&mut self, master: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
        self.receipt.iter().for_each(|receipt| receipt.begin(bytes.len()));
        let written = rustix::io::write(master, bytes);
        let count = written.unwrap_or_default();
        self.count -= count;
        self.receipt.iter_mut().for_each(|receipt| receipt.end(count));
        Ok(written?)
    }
}
