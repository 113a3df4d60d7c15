//! Restoring a pane that outlived a daemon: its screen is the last snapshot and the output after it.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;

use fugue_keeper::Pump;
use fugue_protocol::{PaneId, Size};
use fugue_screen::{Limits, Screen};

use super::handle::{PaneHandle, exit_status};
use super::task::{PaneContext, TaskStart, screen_size};
use crate::keeper_link::TakenPane;

/// The most output that is replayed at once.
const PIECE_BYTES: usize = 64 << 10;

/// Restores a pane and starts its task.
pub(crate) fn restore(
    id: PaneId,
    size: Size,
    taken: TakenPane,
    limits: Limits,
    context: PaneContext,
) -> io::Result<PaneHandle> {
    let run = taken.run();
    let TakenPane { holding, pump, snapshot, .. } = taken;
    let snapshot = snapshot.map(read).transpose()?;
    let restored = snapshot.and_then(|bytes| Screen::restore(&bytes).ok());
    let mut screen = restored.unwrap_or_else(|| Screen::new(screen_size(size), limits));
    screen.trust_marks(&crate::shell_integration::key(run));
    // The last daemon answered the queries in the output it had seen; those after it still wait for a reply.
    let seen = replay(&mut screen, &pump, holding.stored_offset, holding.seen_offset)?;
    drop((screen.take_replies(), screen.take_events()));
    let offset = replay(&mut screen, &pump, seen, u64::MAX)?;
    let exited = holding.exit.map(exit_status);
    let pid = holding.pid.cast_unsigned();
    let start = TaskStart { id, run, size, pid, offset, exited, is_lost: false };
    PaneHandle::start(start, pump, async move { screen }, context)
}

fn read(snapshot: OwnedFd) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (File::from(snapshot), Vec::new());
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Feeds the screen the output from one offset up to another, or to its end. Returns the offset that was reached.
fn replay(screen: &mut Screen, pump: &Pump, from: u64, to: u64) -> io::Result<u64> {
    let mut offset = from;
    let mut piece = vec![0; PIECE_BYTES];
    while offset < to {
        let most = usize::try_from(to - offset).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
        let count = pump.read_at(offset, &mut piece[..most])?;
        if count == 0 {
            break;
        }
        screen.feed(&piece[..count]);
        offset += count as u64;
    }
    Ok(offset)
}
