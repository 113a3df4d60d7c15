//! The queue of input that a program has not read yet. For keys typed by a person the client's ledger, and for
//! requests their own record, says how much of it the program has.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use super::input_record::RecordReceipt;
use crate::input_ledger::InputReceipt;

/// Input that waits for the program.
#[derive(Default)]
pub(crate) struct PtyWriteQueue {
    bytes: VecDeque<u8>,
    writes: VecDeque<QueuedWrite>,
}

/// What records how many of the bytes that were queued together the program has.
pub(crate) enum WriteReceipt {
    /// The ledger of the person who typed them.
    Person(InputReceipt),
    /// The record of the request that types them.
    Request(RecordReceipt),
}

impl WriteReceipt {
    /// The receipt of bytes that are written before earlier ones of the same person.
    pub(crate) fn overtaking(self, bytes: usize) -> Self {
        match self {
            Self::Person(receipt) => Self::Person(receipt.overtaking(bytes)),
            Self::Request(receipt) => Self::Request(receipt),
        }
    }

    fn begin(&self, bytes: usize) {
        match self {
            Self::Person(receipt) => receipt.begin(bytes),
            Self::Request(receipt) => receipt.begin(bytes),
        }
    }

    fn end(&mut self, bytes: usize) {
        match self {
            Self::Person(receipt) => receipt.end(bytes),
            Self::Request(receipt) => receipt.end(bytes),
        }
    }
}

/// Bytes that were queued together.
struct QueuedWrite {
    count: usize,
    receipt: Option<WriteReceipt>,
}

impl PtyWriteQueue {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.writes.clear();
    }

    /// Appends bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], receipt: Option<WriteReceipt>) {
        self.bytes.extend(bytes);
        match self.writes.back_mut().filter(|last| last.receipt.is_none() && receipt.is_none()) {
            Some(last) => last.count += bytes.len(),
            None if bytes.is_empty() => {}
            None => self.writes.push_back(QueuedWrite { count: bytes.len(), receipt }),
        }
    }

    /// Writes as much as the terminal takes now.
    pub(crate) fn write_to(&mut self, master: BorrowedFd<'_>) -> io::Result<()> {
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
    pub(crate) fn text(&mut self) -> &[u8] {
        self.bytes.make_contiguous()
    }
}

impl QueuedWrite {
    /// Writes bytes and records that in the ledger. A kill in between leaves these bytes in doubt, and no others.
    fn write(&mut self, master: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
        self.receipt.iter().for_each(|receipt| receipt.begin(bytes.len()));
        let written = rustix::io::retry_on_intr(|| rustix::io::write(master, bytes));
        let count = written.unwrap_or_default();
        self.count -= count;
        self.receipt.iter_mut().for_each(|receipt| receipt.end(count));
        Ok(written?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn what_could_not_be_written_stays_and_is_written_later() {
        let mut queue = PtyWriteQueue::default();
        queue.push(b"typed", None);
        let read_only = File::open("/dev/null").expect("it can be read");
        queue.write_to(read_only.as_fd()).expect_err("it cannot be written");
        assert_eq!(queue.text(), b"typed");
        let (mut reader, writer) = io::pipe().expect("a pipe");
        queue.write_to(writer.as_fd()).expect("it takes input");
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("text");
        assert!(text == "typed" && queue.is_empty(), "{text}");
    }
}
