//! The queue of input that a program has not read yet. For keys typed by a person, the client's ledger records how much
//! the program has.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use crate::input_ledger::InputReceipt;

/// Input that waits for the program.
#[derive(Default)]
pub(super) struct PtyWriteQueue {
    bytes: VecDeque<u8>,
    writes: VecDeque<QueuedWrite>,
}

/// Bytes that were queued together.
struct QueuedWrite {
    count: usize,
    receipt: Option<InputReceipt>,
}

impl PtyWriteQueue {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.writes.clear();
    }

    /// Appends bytes.
    pub(super) fn push(&mut self, bytes: &[u8], receipt: Option<InputReceipt>) {
        self.bytes.extend(bytes);
        match self.writes.back_mut().filter(|last| last.receipt.is_none() && receipt.is_none()) {
            Some(last) => last.count += bytes.len(),
            None if bytes.is_empty() => {}
            None => self.writes.push_back(QueuedWrite { count: bytes.len(), receipt }),
        }
    }

    /// Writes as much as the terminal takes now.
    pub(super) fn write_to(&mut self, master: BorrowedFd<'_>) -> io::Result<()> {
        while let Some(write) = self.writes.front_mut() {
            let (first, _) = self.bytes.as_slices();
            let first = &first[..first.len().min(write.count)];
            let count = write.write(master, first)?;
            self.bytes.drain(..count);
            if write.count == 0 {
                self.writes.pop_front();
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn text(&mut self) -> &[u8] {
        self.bytes.make_contiguous()
    }
}

impl QueuedWrite {
    /// Writes bytes and records that in the ledger. A kill in between leaves these bytes in doubt, and no others.
    fn write(&mut self, master: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
        self.receipt.iter().for_each(|receipt| receipt.begin(bytes.len()));
        let written = rustix::io::write(master, bytes);
        let count = written.unwrap_or_default();
        self.count -= count;
        self.receipt.iter_mut().for_each(|receipt| receipt.end(count));
        Ok(written?)
    }
}
