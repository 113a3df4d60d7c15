//! A pane that outlived a daemon: its screen is the last snapshot and the output since.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;

use fugue_keeper::{Holding, PaneFds, Pump};
use fugue_protocol::{PaneId, RunId, Size};
use fugue_screen::{Limits, Screen};

use super::{Begun, Pane, Surroundings, begin, exit, screen_size};

/// One piece of a replay.
const PIECE: usize = 64 << 10;

/// Brings a pane back.
pub(crate) fn restore(
    id: PaneId,
    size: Size,
    holding: &Holding,
    fds: PaneFds,
    limits: Limits,
    surroundings: Surroundings,
) -> io::Result<Pane> {
    let (pump, pidfd, snapshot) = Pump::from_fds(fds)?;
    drop(pidfd);
    let (mut screen, stored) =
        match snapshot.map(read).transpose()?.and_then(|bytes| Screen::restore(&bytes).ok()) {
            Some(screen) => (screen, holding.stored_offset),
            None => (Screen::new(screen_size(size), limits), holding.stored_offset),
        };
    let run = RunId::from_bytes(holding.pane);
    screen.trust_marks(&crate::shells::key(run));
    // What the last daemon has seen it also answered; whoever asked while there was none still waits.
    let seen = replay(&mut screen, &pump, stored, holding.seen_offset)?;
    drop((screen.take_replies(), screen.take_events()));
    let offset = replay(&mut screen, &pump, seen, u64::MAX)?;
    let exited = holding.exit.map(exit);
    let begun = Begun { id, run, size, pid: holding.pid.cast_unsigned(), offset, exited };
    begin(begun, pump, async move { screen }, surroundings)
}

fn read(snapshot: OwnedFd) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (File::from(snapshot), Vec::new());
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Feeds the screen the output from one offset up to another, or to the end.
fn replay(screen: &mut Screen, pump: &Pump, from: u64, to: u64) -> io::Result<u64> {
    let mut offset = from;
    let mut piece = vec![0; PIECE];
    while offset < to {
        let most = usize::try_from(to - offset).unwrap_or(PIECE).min(PIECE);
        let count = pump.read_at(offset, &mut piece[..most])?;
        if count == 0 {
            break;
        }
        screen.feed(&piece[..count]);
        offset += count as u64;
    }
    Ok(offset)
}
