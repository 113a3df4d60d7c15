//! Keeping a screen where no kill can take it: a snapshot in memory that the keeper holds, and the output after it.

use std::io;
use std::os::fd::OwnedFd;

use fugue_protocol::RunId;
use fugue_screen::Screen;
use rustix::fs::{MemfdFlags, memfd_create};

use crate::keeper::{Keeper, Order};

/// Output that may be replayed after a restart: below this a snapshot costs more than it saves.
const LEAST: u64 = 256 << 10;

/// And at most this: a replay takes some forty milliseconds.
const MOST: u64 = 4 << 20;

/// The next snapshot comes after so much more output than the last one was long, so that keeping costs little beside
/// reading.
const TIMES: u64 = 8;

/// When and what was last kept.
pub(super) struct Keeping {
    run: RunId,
    keeper: Keeper,
    stored: u64,
    /// Size of the last snapshot.
    size: u64,
}

impl Keeping {
    pub(super) fn new(run: RunId, keeper: Keeper, stored: u64) -> Self {
        Self { run, keeper, stored, size: 0 }
    }

    /// Keeps the screen at `offset` if it is time.
    pub(super) fn consider(&mut self, screen: &Screen, offset: u64) {
        if offset - self.stored >= (TIMES * self.size).clamp(LEAST, MOST) {
            self.keep(screen, offset);
        }
    }

    /// Keeps the screen at `offset`.
    pub(super) fn keep(&mut self, screen: &Screen, offset: u64) {
        let bytes = screen.snapshot();
        let kept = write(&bytes).map(|snapshot| Order::Stored { run: self.run, offset, snapshot });
        match kept.map(|order| self.keeper.order(order)) {
            Ok(Ok(())) => (self.stored, self.size) = (offset, bytes.len() as u64),
            Ok(Err(_)) => tracing::warn!("run {}: the keeper did not take the screen", self.run),
            Err(why) => tracing::warn!("run {}: the screen could not be kept: {why}", self.run),
        }
    }
}

fn write(bytes: &[u8]) -> io::Result<OwnedFd> {
    let file = memfd_create("fugue-screen", MemfdFlags::CLOEXEC)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = rustix::io::write(&file, rest)?;
        rest = &rest[count..];
    }
    Ok(file)
}
