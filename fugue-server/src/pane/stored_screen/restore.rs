//! Panes that are made from a stored screen: one whose program outlived the daemon gets the last snapshot and the output
//! after it; one whose program was lost shows the screen that was saved last.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;

use fugue_keeper::{Holding, Pump};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, RunId, Size};
use fugue_screen::{Limits, Screen};

use super::screen_storage::MAX_REPLAY_WORK;
use crate::crash_record::CrashRecord;
use crate::keeper_link::TakenPane;
use crate::pane::handle::{PaneHandle, exit_status};
use crate::pane::task::screen_size;
use crate::pane::task_start::{PaneContext, TaskStart};

/// The most output that is replayed at once.
const PIECE_BYTES: usize = 64 << 10;

/// The screen of a pane that is set aside.
const SET_ASIDE_NOTICE: &str = "This pane is quarantined: the daemon crashed repeatedly while processing the pane's output.\r\n\
    The program is still running, and its output is kept but not shown.\r\n\
    To restart the program, use respawn-pane --kill.\r\n";

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
    let start = start(id, size, &holding);
    if context.crash_record.is_set_aside(run) {
        return set_aside(TaskStart { is_set_aside: true, ..start }, pump, limits, context);
    }
    let mut replay =
        Replay { run, record: &context.crash_record, pump: &pump, offset: holding.stored_offset };
    let mut screen = replay.restore(snapshot)?.unwrap_or_else(|| Screen::new(screen_size(size), limits));
    screen.trust_marks(&crate::program_start::shell_integration::key(run));
    // The last daemon answered the queries in the output it had seen; those after it still wait for a reply.
    // It stored the screen before it had done this much; what takes longer is what it had read but not processed.
    replay.feed(&mut screen, holding.seen_offset, 2 * MAX_REPLAY_WORK)?;
    drop((screen.take_replies(), screen.take_events()));
    // The task goes on where this ends.
    replay.feed(&mut screen, u64::MAX, MAX_REPLAY_WORK)?;
    let start = TaskStart { offset: replay.offset, ..start };
    PaneHandle::start(start, pump, Box::pin(std::future::ready(Box::new(screen))), context)
}

/// Starts the task of a pane whose output is left alone. It takes input, so that its program can be interrupted.
fn set_aside(start: TaskStart, pump: Pump, limits: Limits, context: PaneContext) -> io::Result<PaneHandle> {
    let mut screen = Screen::new(screen_size(start.size), limits);
    screen.feed(SET_ASIDE_NOTICE.as_bytes());
    PaneHandle::start(start, pump, Box::pin(std::future::ready(Box::new(screen))), context)
}

fn start(id: PaneId, size: Size, holding: &Holding) -> TaskStart {
    let (pid, exited) = (holding.pid.cast_unsigned(), holding.exit.map(exit_status));
    let run = RunId::from_bytes(holding.pane);
    let offset = holding.stored_offset;
    TaskStart { id, run, size, pid, offset, exited, is_lost: false, is_set_aside: false }
}

/// The replay of a pane's output. Every step is recorded first, in case the daemon dies of it.
struct Replay<'a> {
    run: RunId,
    record: &'a CrashRecord,
    pump: &'a Pump,
    offset: u64,
}

impl Replay<'_> {
    /// Restores the screen from a snapshot, if there is one that can be read.
    fn restore(&self, snapshot: Option<OwnedFd>) -> io::Result<Option<Screen>> {
        self.record.begin_replay(self.run, self.offset);
        let snapshot = snapshot.map(read).transpose()?;
        let restored = snapshot.and_then(|bytes| Screen::restore(&bytes).ok());
        self.record.end();
        Ok(restored)
    }

    /// Feeds the screen the output up to an offset or to its end, unless that takes long.
    fn feed(&mut self, screen: &mut Screen, to: u64, most_work: u64) -> io::Result<()> {
        let mut piece = vec![0; PIECE_BYTES];
        let last = screen.work_done() + most_work;
        while self.offset < to && screen.work_done() <= last {
            let most = usize::try_from(to - self.offset).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
            let count = self.pump.read_at(self.offset, &mut piece[..most])?;
            if count == 0 {
                break;
            }
            self.record.begin_replay(self.run, self.offset);
            self.offset += screen.feed_turn(&piece[..count]) as u64;
            self.record.end();
        }
        Ok(())
    }
}

fn read(snapshot: OwnedFd) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (File::from(snapshot), Vec::new());
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Starts the task of a pane whose program was lost.
pub(crate) fn show_lost(
    id: PaneId,
    size: Size,
    mut screen: Screen,
    context: PaneContext,
) -> io::Result<PaneHandle> {
    let pump = Pump::hung_up(size.cols, size.rows)?;
    // What the program reported of its work ended with it.
    screen.end_activity();
    drop((screen.take_replies(), screen.take_events()));
    // The keeper knows no run of this id, and ignores what concerns it.
    let run = RunId::from_bytes(*id.as_bytes());
    let exited = Some(ExitStatus::Unknown);
    let start = TaskStart { id, run, size, pid: 0, offset: 0, exited, is_lost: true, is_set_aside: false };
    let pane = PaneHandle::start(start, pump, Box::pin(std::future::ready(Box::new(screen))), context)?;
    pane.exit_recorded(ExitStatus::Unknown);
    Ok(pane)
}
