//! Storing a pane's screen where no kill can take it: a snapshot in memory that the keeper holds, which the output after
//! it completes. The history is packed when the pane becomes quiet.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use fugue_protocol::RunId;
use fugue_screen::Screen;
use rustix::fs::{MemfdFlags, memfd_create};

use crate::keeper_link::{KeeperHandle, KeeperOrder};
use crate::pane::task_start::TaskStart;

/// The least output between two snapshots: replaying less costs less than a snapshot.
const MIN_REPLAY: u64 = 256 << 10;

/// The most output between two snapshots: replaying it takes some forty milliseconds.
const MAX_REPLAY: u64 = 4 << 20;

/// The most work between two snapshots (see [`Screen::work_done`]): replaying it takes a few tenths of a second.
pub(super) const MAX_REPLAY_WORK: u64 = 64 << 20;

/// The output between two snapshots, as a multiple of a snapshot's size, so that snapshots cost little compared to reading.
const REPLAY_FACTOR: u64 = 8;

/// How long a pane must be quiet before its history is packed: the program is probably done writing.
const QUIET: Duration = Duration::from_secs(2);

/// The least new output for which the history is packed: less is not worth a wake-up.
const MIN_PACKED: u64 = 64 << 10;

/// A pane's last snapshot, and how far its history is packed.
pub(crate) struct ScreenStorage {
    run: RunId,
    keeper: KeeperHandle,
    /// The offset in the output at which the next snapshot is due.
    due_offset: u64,
    /// The work of the output after which it is due in any case.
    due_work: u64,
    /// The offset up to which the history is packed.
    packed: u64,
    /// Whether the keeper's snapshot stays as it is: the screen is not the program's.
    is_set_aside: bool,
}

impl ScreenStorage {
    pub(crate) fn new(start: &TaskStart, keeper: KeeperHandle) -> Self {
        let TaskStart { run, offset, is_set_aside, .. } = *start;
        Self {
            run,
            keeper,
            due_offset: offset + MIN_REPLAY,
            due_work: MAX_REPLAY_WORK,
            packed: 0,
            is_set_aside,
        }
    }

    /// Stores a snapshot of the screen at `offset` if there is enough new output.
    pub(crate) fn store_if_due(&mut self, screen: &Screen, offset: u64) {
        if offset >= self.due_offset || screen.work_done() >= self.due_work {
            self.store(screen, offset);
        }
    }

    /// Stores a snapshot of the screen at `offset`.
    pub(crate) fn store(&mut self, screen: &Screen, offset: u64) {
        if self.is_set_aside {
            return;
        }
        let bytes = screen.snapshot();
        let order =
            memory_file(&bytes).map(|snapshot| KeeperOrder::Stored { run: self.run, offset, snapshot });
        let order = order.map(|order| self.keeper.send(order));
        // A snapshot takes longer than a turn of output: one that failed is not repeated in each.
        let is_stored = matches!(order, Ok(Ok(())));
        let replayed = if is_stored { REPLAY_FACTOR * bytes.len() as u64 } else { 0 };
        self.due_offset = offset + replayed.clamp(MIN_REPLAY, MAX_REPLAY);
        self.due_work = screen.work_done() + MAX_REPLAY_WORK;
        match order {
            Ok(Ok(())) => {}
            Ok(Err(_)) => tracing::warn!("Program {}: the keeper did not accept a snapshot", self.run),
            Err(why) => tracing::warn!("Program {}: cannot store a snapshot: {why}", self.run),
        }
    }

    /// Returns when the history is to be packed, if the pane's last output came at `last_output`, up to `offset`.
    pub(crate) fn due(&self, last_output: Instant, offset: u64) -> Option<Instant> {
        (!self.is_set_aside && offset.saturating_sub(self.packed) >= MIN_PACKED).then(|| last_output + QUIET)
    }

    /// Packs the history if it is time. A quiet pane causes no wake-up after that.
    pub(crate) fn pack_if_due(
        &mut self,
        screen: &mut Screen,
        last_output: Instant,
        offset: u64,
        now: Instant,
    ) {
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
