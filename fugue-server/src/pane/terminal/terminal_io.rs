//! A pane's terminal: its output, read in turns and held back while a synchronized update is incomplete, and the input
//! written to it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use fugue_keeper::{Pump, PumpState};
use fugue_protocol::{PaneId, Size};
use fugue_screen::PixelSize;
use rustix::termios::LocalModes;

use super::flood_pace::{self, FloodPace};
use super::output_ceiling::OutputCeiling;
use super::pty_readiness::TerminalReadiness;
use super::sync_update::SyncUpdates;
use crate::pane::input::typed_input::TypedInput;
use crate::pane::task_start::TaskStart;

/// The most that the kernel returns from one read of a terminal: one byte less than 4 KiB.
const READ_BYTES: usize = 4095;

/// The most output taken from a terminal in one turn, a tenth of a millisecond's work; then other panes have theirs.
const TURN_BYTES: usize = 2 * READ_BYTES;

/// After this much silence the next output is an answer to a key rather than part of a flood.
const SILENCE: Duration = Duration::from_millis(2);

/// The most output read from the segment at once. A synchronized update (mode 2026) that is longer is shown as it comes.
const PIECE_BYTES: usize = 32 << 10;

/// A pane's terminal.
pub(crate) struct TerminalIo {
    pane: PaneId,
    pump: Pump,
    readiness: TerminalReadiness,
    pace: FloodPace,
    ceiling: OutputCeiling,
    pub(crate) sync: SyncUpdates,
    size: Size,
    /// The size of a cell, as the program was told.
    cell: Option<PixelSize>,
    /// How much of the output the screen has processed.
    offset: u64,
    last_output: Instant,
    /// Whether the last turn was part of a flood.
    is_flooding: bool,
    is_hung_up: bool,
    /// Whether its output stays where it is, unprocessed.
    is_set_aside: bool,
    /// Whether the segment has output that another turn is to process before more is read.
    has_rest: bool,
}

/// Room for a piece of output. The panes of a thread share it, since each piece is processed before the next is read.
#[derive(Default)]
pub(crate) struct OutputBuffer(Vec<u8>);

thread_local! {
    static BUFFER: RefCell<OutputBuffer> = RefCell::default();
}

impl OutputBuffer {
    /// Lends this thread's buffer.
    pub(crate) fn lend<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        BUFFER.with_borrow_mut(work)
    }
}

impl TerminalIo {
    pub(crate) fn new(start: &TaskStart, pump: Pump) -> io::Result<Self> {
        Ok(Self {
            pane: start.id,
            readiness: TerminalReadiness::new(pump.master())?,
            has_rest: start.offset < pump.head(),
            pump,
            pace: FloodPace::default(),
            ceiling: OutputCeiling::default(),
            sync: SyncUpdates::default(),
            size: start.size,
            cell: None,
            offset: start.offset,
            last_output: Instant::now(),
            is_flooding: false,
            is_hung_up: false,
            is_set_aside: start.is_set_aside,
        })
    }

    pub(crate) fn master(&self) -> BorrowedFd<'_> {
        self.pump.master()
    }

    /// Whether what is typed may show on the screen. It does not while the terminal reads a line without echo, such as a
    /// password; a program that reads single keys may print them itself.
    pub(crate) fn is_echoed(&self) -> bool {
        let modes = rustix::termios::tcgetattr(self.master()).map(|termios| termios.local_modes);
        modes.map_or(true, |modes| modes.contains(LocalModes::ECHO) || !modes.contains(LocalModes::ICANON))
    }

    /// Whether the terminal reads lines and echoes what it is sent.
    pub(crate) fn echoes_lines(&self) -> bool {
        let modes = rustix::termios::tcgetattr(self.master()).map(|termios| termios.local_modes);
        modes.is_ok_and(|modes| modes.contains(LocalModes::ECHO | LocalModes::ICANON))
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn last_output(&self) -> Instant {
        self.last_output
    }

    /// Whether the last turn was part of a flood.
    pub(crate) fn is_flooding(&self) -> bool {
        self.is_flooding
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Whether the terminal has no more output and takes no more input.
    pub(crate) fn is_hung_up(&self) -> bool {
        self.is_hung_up
    }

    /// Whether output may come that is to be read now.
    pub(crate) fn gives_output(&mut self, now: Instant) -> bool {
        !self.is_hung_up && !self.is_set_aside && !self.has_rest && self.paused_until(now).is_none()
    }

    /// Whether the screen is to process output that was read before.
    pub(crate) fn gives_rest(&mut self, now: Instant) -> bool {
        self.has_rest() && self.paused_until(now).is_none()
    }

    /// Whether the screen has yet to process output that was read.
    pub(crate) fn has_rest(&self) -> bool {
        self.has_rest && !self.is_set_aside
    }

    /// Takes back the end of the last piece of output, for which there was no time. The next turn begins with it.
    pub(crate) fn put_back(&mut self, count: usize) {
        self.offset -= count as u64;
        self.has_rest = true;
    }

    /// Returns until when no output is read, because someone types elsewhere, or because the output takes too much memory.
    pub(crate) fn paused_until(&mut self, now: Instant) -> Option<Instant> {
        self.pace.paused_until(now).max(self.ceiling.paused_until(&self.pump, now))
    }

    /// Takes note that someone types here.
    pub(crate) fn key_typed(&mut self, now: Instant) {
        self.pace.resume();
        flood_pace::key_typed(self.pane, now);
    }

    /// Waits for output.
    pub(crate) async fn readable(&self) {
        poll_fn(|context| self.readiness.poll_readable(context)).await;
    }

    /// Waits until the terminal takes more input, if some is waiting.
    pub(crate) async fn writable(&self) {
        poll_fn(|context| self.readiness.poll_writable(context)).await;
    }

    /// Moves one turn of output into the segment.
    pub(crate) fn read_turn(&mut self) -> io::Result<PumpState> {
        // The first output after a silence is most likely an echo; in a flood it pays to wait for more.
        let is_after_silence = self.last_output.elapsed() >= SILENCE;
        let turn = match is_after_silence {
            true => self.pump.edge_turn(TURN_BYTES),
            false => self.pump.turn(TURN_BYTES),
        }?;
        if matches!(turn.state, PumpState::Short | PumpState::Drained) {
            self.readiness.clear_readable(self.pump.master())?;
        }
        let now = Instant::now();
        self.pace.turn_read(self.pane, turn.moved, now);
        self.ceiling.output_read(&self.pump, now);
        self.is_flooding = is_flood(turn.moved, is_after_silence);
        self.is_hung_up = turn.state == PumpState::Hangup;
        Ok(turn.state)
    }

    /// Moves one turn of the output of a program that ended into the segment.
    pub(crate) fn read_last_turn(&mut self) -> io::Result<PumpState> {
        if self.is_set_aside {
            return Ok(PumpState::Drained);
        }
        let turn = self.pump.turn(TURN_BYTES)?;
        self.is_flooding = is_flood(turn.moved, false);
        Ok(turn.state)
    }

    /// Returns the next piece of output in the segment that may be shown, and the time.
    pub(crate) fn next_output<'a>(&mut self, buffer: &'a mut OutputBuffer) -> Option<(&'a [u8], Instant)> {
        self.has_rest = false;
        if self.is_set_aside || self.offset >= self.pump.head() {
            return None;
        }
        let OutputBuffer(buffer) = buffer;
        buffer.resize(PIECE_BYTES, 0);
        let count = self.pump.read_at(self.offset, buffer).ok().filter(|count| *count > 0)?;
        let now = Instant::now();
        let shown = self.sync.complete_part(&buffer[..count], PIECE_BYTES, now);
        if shown == 0 {
            return None;
        }
        self.offset += shown as u64;
        self.last_output = now;
        Some((&buffer[..shown], now))
    }

    /// Writes as much input as the terminal takes now.
    pub(crate) fn write(&mut self, input: &mut TypedInput) {
        // Nobody will read it any more, and a terminal that has hung up always seems writable.
        if self.is_hung_up {
            return input.discard();
        }
        match input.write_to(self.pump.master()) {
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => {
                if let Err(why) = self.readiness.wait_for_room(self.pump.master()) {
                    tracing::warn!("Pane {}: cannot watch its terminal: {why}", self.pane);
                }
            }
            // The input stays; it is tried again with what is typed next.
            Err(why) => {
                tracing::warn!("Pane {}: cannot write to its terminal: {why}", self.pane);
                self.readiness.all_written();
            }
            Ok(()) => self.readiness.all_written(),
        }
    }

    /// Tells the program the size of its terminal, in pixels too if that of a cell is known.
    pub(crate) fn resize(&mut self, size: Size, cell: Option<PixelSize>) {
        if (size, cell) == (self.size, self.cell) {
            return;
        }
        (self.size, self.cell) = (size, cell);
        let cell = cell.unwrap_or_default();
        let pixels = |cells: u16, side: u32| u16::try_from(u32::from(cells) * side).unwrap_or(0);
        let window = rustix::termios::Winsize {
            ws_col: size.cols,
            ws_row: size.rows,
            ws_xpixel: pixels(size.cols, cell.width),
            ws_ypixel: pixels(size.rows, cell.height),
        };
        if let Err(why) = rustix::termios::tcsetwinsize(self.pump.master(), window) {
            tracing::warn!("Cannot set the size of pane {}: {why}", self.pane);
        }
    }
}

/// Whether a terminal passes on single keys rather than lines, as it does while a shell edits a line.
pub(crate) fn passes_keys(master: BorrowedFd<'_>) -> bool {
    let modes = rustix::termios::tcgetattr(master).map(|termios| termios.local_modes);
    modes.is_ok_and(|modes| !modes.contains(LocalModes::ICANON))
}

/// Whether a turn is part of a flood rather than the answer to a key, which comes after a silence or is short. Programs
/// that redraw for a key write a few kilobytes; a flood fills the kernel's buffer.
fn is_flood(bytes: usize, is_after_silence: bool) -> bool {
    bytes >= READ_BYTES && !is_after_silence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_key_is_no_flood() {
        assert!(is_flood(READ_BYTES, false));
        assert!(!is_flood(READ_BYTES - 1, false), "short");
        assert!(!is_flood(TURN_BYTES, true), "the first output after a silence");
    }
}
