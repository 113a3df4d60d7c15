//! The pump, which moves a pane's output `master → pipe → segment` inside the kernel. It is used by the holder of the
//! lease: the daemon while one is running, otherwise the keeper.
//!
//! A kill at any moment leaves every byte in the terminal, the pipe or the segment, in that order. So the next pump
//! continues exactly: the head is the segment's size, and the bytes in the pipe come first.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::{Arc, OnceLock};

use rustix::fs::FallocateFlags;
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{SpliceFlags, splice};

use super::pty;
use crate::link::connection::PaneFds;

/// The most output that the keeper stores for a pane beyond its newest snapshot while no daemon is running, in bytes.
/// Then it stops reading: the program blocks, and nothing is lost. 200 flooding panes stay below 2 GiB.
pub const QUOTA: u64 = 8 << 20;

/// The most that is moved at once. A terminal gives at most 4 KiB at a time, and the kernel allocates memory for the
/// whole step beforehand: with more an echo takes longer and a flood is no faster.
const STEP_BYTES: usize = 4 << 10;

/// Fewer bytes than this are an echo, or the end of some output: a flood brings more at once.
const SHORT_READ: usize = 1 << 10;

/// The output of one pane, in transit.
#[derive(Debug)]
pub struct Pump {
    fds: Arc<PumpFds>,
    head: u64,
    /// The number of bytes in the pipe.
    queued: usize,
    /// Bytes that were read from a terminal that does not splice and that the segment has not taken yet.
    unwritten: Vec<u8>,
}

/// The kernel objects through which a pane's output moves.
#[derive(Debug)]
pub struct PumpFds {
    master: OwnedFd,
    pipe_r: OwnedFd,
    pipe_w: OwnedFd,
    segment: OwnedFd,
}

impl PumpFds {
    /// The terminal's master side.
    pub fn master(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }

    /// Master, pipe_r, pipe_w, segment: in the order in which the link sends them.
    pub fn in_order(&self) -> [BorrowedFd<'_>; 4] {
        [self.master.as_fd(), self.pipe_r.as_fd(), self.pipe_w.as_fd(), self.segment.as_fd()]
    }

    /// Opens the terminal's other side. While it is open, the terminal does not hang up.
    pub fn open_slave(&self) -> io::Result<OwnedFd> {
        pty::open_slave(&self.master)
    }

    /// Frees the output before `offset`. Only for the process that holds the newest snapshot: without that, the output is
    /// still needed.
    pub fn free(&self, offset: u64) -> io::Result<()> {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match offset {
            0 => Ok(()),
            offset => Ok(rustix::fs::fallocate(&self.segment, hole, 0, offset)?),
        }
    }
}

/// The result of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PumpTurn {
    /// The number of bytes that reached the segment.
    pub moved: usize,
    /// Whether there is more to move.
    pub state: PumpState,
}

/// The state in which a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PumpState {
    /// The limit was reached; there may be more now.
    More,
    /// The terminal gave only a few bytes; edge-triggered polling reports when there are more.
    Short,
    /// The terminal reported that it has nothing now, so that edge-triggered polling can wait.
    Drained,
    /// No process has the terminal open any more, and all its output is in the segment.
    Hangup,
}

/// The result of one step.
enum PumpStep {
    Moved(usize),
    Stopped(PumpState),
}

impl PumpStep {
    /// Interprets a read or splice that brought nothing.
    fn without_bytes(why: rustix::io::Result<usize>) -> io::Result<Self> {
        match why {
            Ok(_) | Err(Errno::IO) => Ok(Self::Stopped(PumpState::Hangup)),
            Err(Errno::AGAIN) => Ok(Self::Stopped(PumpState::Drained)),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Pump {
    /// A pump over these descriptors that continues where the last one stopped.
    pub fn new(master: OwnedFd, pipe_r: OwnedFd, pipe_w: OwnedFd, segment: OwnedFd) -> io::Result<Self> {
        let fds = Arc::new(PumpFds { master, pipe_r, pipe_w, segment });
        let mut pump = Self { fds, head: 0, queued: 0, unwritten: Vec::new() };
        pump.resume()?;
        Ok(pump)
    }

    /// The pump of a pane that was received over the link, with its pidfd and snapshot.
    pub fn from_fds(fds: PaneFds) -> io::Result<(Self, OwnedFd, Option<OwnedFd>)> {
        let pump = Self::new(fds.master, fds.pipe_r, fds.pipe_w, fds.segment)?;
        Ok((pump, fds.pidfd, fds.snapshot))
    }

    /// The pump of a terminal that no process has open, for a pane without a program.
    pub fn hung_up(cols: u16, rows: u16) -> io::Result<Self> {
        let (pipe_r, pipe_w) = pty::pipe()?;
        Self::new(pty::open(cols, rows)?.master, pipe_r, pipe_w, pty::segment()?)
    }

    /// Finds out where the other holder stopped. Needed whenever the lease comes back.
    pub fn resume(&mut self) -> io::Result<()> {
        self.head = rustix::fs::fstat(&self.fds.segment)?.st_size.cast_unsigned();
        self.queued = usize::try_from(rustix::io::ioctl_fionread(&self.fds.pipe_r)?).unwrap_or(usize::MAX);
        Ok(())
    }

    /// Moves up to about `max` bytes without blocking; the bytes in the pipe are moved in any case. An error, such as no
    /// memory for the segment, loses nothing: the same turn can be tried again.
    pub fn turn(&mut self, max: usize) -> io::Result<PumpTurn> {
        let mut moved = self.empty_pipe()?;
        while moved < max {
            match self.step(STEP_BYTES.min(max - moved))? {
                PumpStep::Moved(count) => moved += count,
                PumpStep::Stopped(state) => return Ok(PumpTurn { moved, state }),
            }
        }
        Ok(PumpTurn { moved, state: PumpState::More })
    }

    /// A turn for edge-triggered polling: a terminal that gives only a few bytes is not read once more. That would wait
    /// for the kernel's worker that brought them, which takes milliseconds on a busy machine.
    pub fn edge_turn(&mut self, max: usize) -> io::Result<PumpTurn> {
        let queued = self.empty_pipe()?;
        match self.step(STEP_BYTES.min(max))? {
            PumpStep::Stopped(state) => Ok(PumpTurn { moved: queued, state }),
            PumpStep::Moved(count) if count < SHORT_READ => {
                Ok(PumpTurn { moved: queued + count, state: PumpState::Short })
            }
            PumpStep::Moved(count) => {
                let rest = self.turn(max.saturating_sub(queued + count))?;
                Ok(PumpTurn { moved: queued + count + rest.moved, state: rest.state })
            }
        }
    }

    /// The number of bytes that the segment has received: the offset of the next byte.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// The memory that the output takes: what was not freed yet, in whole pages.
    pub fn memory(&self) -> io::Result<u64> {
        Ok(rustix::fs::fstat(&self.fds.segment)?.st_blocks.cast_unsigned() * 512)
    }

    /// Reads output at `offset` and returns the number of bytes, which is 0 at the head. Output before the last stored
    /// offset reads as zeros.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::pread(&self.fds.segment, buffer, offset)?)
    }

    /// The terminal's master side, for polling, input and window size.
    pub fn master(&self) -> BorrowedFd<'_> {
        self.fds.master.as_fd()
    }

    /// The segment itself.
    pub fn segment(&self) -> BorrowedFd<'_> {
        self.fds.segment.as_fd()
    }

    /// The kernel objects, which may be kept beside the pump, to hand the pane to another process.
    pub fn fds(&self) -> &Arc<PumpFds> {
        &self.fds
    }

    /// Moves up to `max` bytes once.
    fn step(&mut self, max: usize) -> io::Result<PumpStep> {
        match self.fill_pipe(max) {
            Ok(count @ 1..) => {
                self.queued += count;
                Ok(PumpStep::Moved(self.empty_pipe()?))
            }
            Err(Errno::INVAL) if !can_splice_tty() => self.copy(max),
            nothing => PumpStep::without_bytes(nothing),
        }
    }

    fn fill_pipe(&self, max: usize) -> rustix::io::Result<usize> {
        let flags = SpliceFlags::NONBLOCK | SpliceFlags::MOVE;
        retry_on_intr(|| splice(&self.fds.master, None, &self.fds.pipe_w, None, max, flags))
    }

    fn empty_pipe(&mut self) -> io::Result<usize> {
        let before = self.head;
        self.write_unwritten()?;
        while self.queued > 0 {
            let into = Some(&mut self.head);
            match splice(&self.fds.pipe_r, None, &self.fds.segment, into, self.queued, SpliceFlags::NONBLOCK)
            {
                Ok(count) => self.queued -= count.min(self.queued),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(usize::try_from(self.head - before).unwrap_or(usize::MAX))
    }

    /// Moves output by read and write, for kernels whose terminals do not splice. A kill between the two calls loses the
    /// bytes in between; if the segment does not take them, such as for lack of memory, they are written by the next turn.
    fn copy(&mut self, max: usize) -> io::Result<PumpStep> {
        let mut buffer = [0; STEP_BYTES];
        match retry_on_intr(|| rustix::io::read(&self.fds.master, &mut buffer[..max])) {
            Ok(count @ 1..) => {
                self.unwritten.extend_from_slice(&buffer[..count]);
                self.write_unwritten()?;
                Ok(PumpStep::Moved(count))
            }
            nothing => PumpStep::without_bytes(nothing),
        }
    }

    fn write_unwritten(&mut self) -> io::Result<()> {
        while !self.unwritten.is_empty() {
            let count = rustix::io::pwrite(&self.fds.segment, &self.unwritten, self.head)?;
            self.head += count as u64;
            self.unwritten.drain(..count);
        }
        Ok(())
    }
}

/// The master, for polling.
impl AsFd for Pump {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fds.master.as_fd()
    }
}

/// The master, for polling.
impl AsRawFd for Pump {
    fn as_raw_fd(&self) -> RawFd {
        self.fds.master.as_raw_fd()
    }
}

/// Whether this kernel can splice from a terminal, probed once with a terminal of our own.
pub(crate) fn can_splice_tty() -> bool {
    static PROBED: OnceLock<bool> = OnceLock::new();
    *PROBED.get_or_init(|| probe_splice().unwrap_or(false))
}

fn probe_splice() -> io::Result<bool> {
    let pty = pty::open(80, 24)?;
    let (_pipe_r, pipe_w) = pty::pipe()?;
    rustix::io::write(&pty.slave, b"?")?;
    Ok(splice(&pty.master, None, &pipe_w, None, 1, SpliceFlags::NONBLOCK) != Err(Errno::INVAL))
}

#[cfg(test)]
mod tests;
