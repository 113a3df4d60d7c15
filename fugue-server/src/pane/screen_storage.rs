//! Storing a pane's screen where no kill can take it: a snapshot in memory that the keeper holds, which the output after
//! it completes. The history is packed when the pane becomes quiet.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use fugue_protocol::RunId;
use fugue_screen::Screen;
use rustix::fs::{MemfdFlags, memfd_create};

use super::task::TaskStart;
use crate::keeper_link::{KeeperHandle, KeeperOrder};

/// The least output between two snapshots: replaying less costs less than a snapshot.
const MIN_REPLAY: u64 = 256 << 10;

/// The most output between two snapshots: replaying it takes some forty milliseconds.
const MAX_REPLAY: u64 = 4 << 20;

/// The output between two snapshots, as a multiple of a snapshot's size, so that snapshots cost little compared to reading.
const REPLAY_FACTOR: u64 = 8;

/// How long a pane must be quiet before its history is packed: the program is probably done writing.
const QUIET: Duration = Duration::from_secs(2);

/// The least new output for which the history is packed: less is not worth a wake-up.
const MIN_PACKED: u64 = 64 << 10;

/// A pane's last snapshot, and how far its history is packed.
pub(super) struct ScreenStorage {
    run: RunId,
    keeper: KeeperHandle,
    /// The offset of the last snapshot in the output.
    stored: u64,
    snapshot_size: u64,
    /// The offset up to which the history is packed.
    packed: u64,
    /// Whether the keeper's snapshot stays as it is: the screen is not the program's.
    is_set_aside: bool,
}

impl ScreenStorage {
    pub(super) fn new(start: &TaskStart, keeper: KeeperHandle) -> Self {
        let TaskStart { run, offset, is_set_aside, .. } = *start;
        Self { run, keeper, stored: offset, snapshot_size: 0, packed: 0, is_set_aside }
    }

    /// Stores a snapshot of the screen at `offset` if there is enough new output.
    pub(super) fn store_if_due(&mut self, screen: &Screen, offset: u64) {
        if offset - self.stored >= (REPLAY_FACTOR * self.snapshot_size).clamp(MIN_REPLAY, MAX_REPLAY) {
            self.store(screen, offset);
        }
    }

    /// Stores a snapshot of the screen at `offset`.
    pub(super) fn store(&mut self, screen: &Screen, offset: u64) {
        if self.is_set_aside {
            return;
        }
        let bytes = screen.snapshot();
        let order =
            memory_file(&bytes).map(|snapshot| KeeperOrder::Stored { run: self.run, offset, snapshot });
        match order.map(|order| self.keeper.send(order)) {
            Ok(Ok(())) => (self.stored, self.snapshot_size) = (offset, bytes.len() as u64),
            Ok(Err(_)) => tracing::warn!("Program {}: the keeper did not accept a snapshot", self.run),
            Err(why) => tracing::warn!("Program {}: cannot store a snapshot: {why}", self.run),
        }
    }

    /// Returns when the history is to be packed, if the pane's last output came at `last_output`, up to `offset`.
    pub(super) fn due(&self, last_output: Instant, offset: u64) -> Option<Instant> {
        (!self.is_set_aside && offset.saturating_sub(self.packed) >= MIN_PACKED).then(|| last_output + QUIET)
    }

    /// Packs the history if it is time. A quiet pane causes no wake-up after that.
    pub(super) fn maintain(&mut self, screen: &mut Screen, last_output: Instant, offset: u64, now: Instant) {
        if self.due(last_output, offset).is_some_and(|due| due <= now) {
            screen.compact();
            self.packed = offset;
            // The snapshots of a flood were stored unpacked.
            self.store(screen, offset);
        }
    }
}

fn memory_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    let file = memfd_create("fugue-screen", MemfdFlags::CLOEXEC)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = rustix::io::write(&file, rest)?;
        rest = &rest[count..];
    }
    Ok(file)
}
