//! Writing to the outer terminal without ever blocking. What it does not accept now is kept: one frame, and copied
//! text. Until that is written no other frame is drawn, so a terminal that stands still costs nothing.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::raw_mode;

/// The most bytes that may wait to be written: a frame of the largest terminal and the longest text for its clipboard fit many times.
const LONGEST: usize = 16 << 20;

/// How long the last output may take; a terminal that accepts nothing misses it.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Output that the terminal has not accepted yet.
#[derive(Debug, Default)]
pub(crate) struct TtyOutput {
    unwritten: Vec<u8>,
    written: usize,
}

impl TtyOutput {
    /// Whether the terminal accepted everything.
    pub(crate) fn is_done(&self) -> bool {
        self.unwritten.is_empty()
    }

    /// Whether there is room for this many bytes.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.unwritten.len() + bytes <= LONGEST
    }

    /// Writes bytes, now or when the terminal accepts them.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.has_room(bytes.len()) {
            self.unwritten.extend_from_slice(bytes);
        }
        self.flush()
    }

    /// Writes what the terminal accepts now.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        while self.written < self.unwritten.len() {
            match rustix::io::write(raw_mode::terminal(), &self.unwritten[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(why) => return Err(why.into()),
            }
        }
        self.unwritten.clear();
        self.written = 0;
        Ok(())
    }

    /// Writes the rest before the client exits or stops, if the terminal accepts it soon.
    pub(crate) fn finish(&mut self) {
        let rest = std::mem::take(&mut self.unwritten);
        let _ = write_all_soon(&rest[self.written..]);
        self.written = 0;
    }
}

impl AsFd for TtyOutput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        raw_mode::terminal()
    }
}

/// Writes everything, or gives up when the terminal accepts nothing for a while.
pub(super) fn write_all_soon(mut bytes: &[u8]) -> io::Result<()> {
    let until = Instant::now() + LAST_WORDS;
    while !bytes.is_empty() {
        match rustix::io::write(raw_mode::terminal(), bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if Instant::now() < until => wait_for_room(until),
            Err(why) => return Err(why.into()),
        }
    }
    Ok(())
}

fn wait_for_room(until: Instant) {
    let left = until.saturating_duration_since(Instant::now());
    let timeout = Timespec::try_from(left).ok();
    let _ = poll(&mut [PollFd::from_borrowed_fd(raw_mode::terminal(), PollFlags::OUT)], timeout.as_ref());
}
