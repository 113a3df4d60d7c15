//! Moves a pane's output `master → pipe → segment` inside the kernel. Used by whoever has the lease: the daemon while
//! it lives, else the keeper.
//!
//! A kill at any instant leaves every byte in the terminal, the pipe or the segment, in that order. So the next pump
//! goes on exactly: the head is the segment's size, and what the pipe holds comes first.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::OnceLock;

use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{SpliceFlags, splice};

use crate::link::PaneFds;
use crate::pty;

/// How much output the keeper takes in for a pane beyond its last snapshot while no daemon lives. Then it stops
/// reading: the program waits, nothing is lost. 200 flooding panes stay below 2 GiB.
pub const QUOTA: u64 = 8 << 20;

/// One move. A terminal gives 4 KiB at a time at most, and the kernel finds memory for all of the step beforehand: with
/// more an echo takes longer and a flood is no faster.
const STEP: usize = 4 << 10;

/// Less than this is an echo, or the end of something: a flood brings more at once.
const FEW: usize = 1 << 10;

/// The output of one pane on its way.
#[derive(Debug)]
pub struct Pump {
    master: OwnedFd,
    pipe_r: OwnedFd,
    pipe_w: OwnedFd,
    segment: OwnedFd,
    head: u64,
    /// Bytes in the pipe.
    queued: usize,
}

/// What one turn did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Bytes that reached the segment.
    pub moved: usize,
    /// Whether to come again.
    pub state: State,
}

/// Where a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The limit was reached; there may be more now.
    More,
    /// The terminal gave a few bytes; an edge tells when there is more.
    Short,
    /// The terminal has nothing now (it said so: fit for edge-triggered waiting).
    Drained,
    /// Nobody has the terminal open any more and all its output is in the segment.
    Hangup,
}

/// What one move did.
enum Step {
    Moved(usize),
    Over(State),
}

impl Step {
    /// What it means that nothing came.
    fn nothing(why: rustix::io::Result<usize>) -> io::Result<Self> {
        match why {
            Ok(_) | Err(Errno::IO) => Ok(Self::Over(State::Hangup)),
            Err(Errno::AGAIN) => Ok(Self::Over(State::Drained)),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Pump {
    /// The pump over these descriptors, wherever the last one stopped.
    pub fn new(master: OwnedFd, pipe_r: OwnedFd, pipe_w: OwnedFd, segment: OwnedFd) -> io::Result<Self> {
        let mut pump = Self { master, pipe_r, pipe_w, segment, head: 0, queued: 0 };
        pump.resume()?;
        Ok(pump)
    }

    /// The pump of a pane that came over the link, with its pidfd and snapshot.
    pub fn from_fds(fds: PaneFds) -> io::Result<(Self, OwnedFd, Option<OwnedFd>)> {
        let pump = Self::new(fds.master, fds.pipe_r, fds.pipe_w, fds.segment)?;
        Ok((pump, fds.pidfd, fds.snapshot))
    }

    /// Looks where the other holder stopped. Needed whenever the lease comes back.
    pub fn resume(&mut self) -> io::Result<()> {
        self.head = rustix::fs::fstat(&self.segment)?.st_size.cast_unsigned();
        self.queued = usize::try_from(rustix::io::ioctl_fionread(&self.pipe_r)?).unwrap_or(usize::MAX);
        Ok(())
    }

    /// Moves up to about `max` bytes without waiting; what the pipe holds is moved in any case. An error (no memory
    /// for the segment) loses nothing: the same turn can be tried again.
    pub fn turn(&mut self, max: usize) -> io::Result<Turn> {
        let mut moved = self.empty_pipe()?;
        while moved < max {
            match self.step(STEP.min(max - moved))? {
                Step::Moved(count) => moved += count,
                Step::Over(state) => return Ok(Turn { moved, state }),
            }
        }
        Ok(Turn { moved, state: State::More })
    }

    /// A turn for who is told when there is more: a terminal that gives only a few bytes is not asked once more. That
    /// would be to wait for the kernel's worker that brought them, which on a busy machine takes milliseconds.
    pub fn edge_turn(&mut self, max: usize) -> io::Result<Turn> {
        let queued = self.empty_pipe()?;
        match self.step(STEP.min(max))? {
            Step::Over(state) => Ok(Turn { moved: queued, state }),
            Step::Moved(count) if count < FEW => Ok(Turn { moved: queued + count, state: State::Short }),
            Step::Moved(count) => {
                let rest = self.turn(max.saturating_sub(queued + count))?;
                Ok(Turn { moved: queued + count + rest.moved, state: rest.state })
            }
        }
    }

    /// How many bytes of output the segment has seen; the offset the next byte will have.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Reads output at `offset`; 0 at the head. Below the last stored offset it reads as zeros.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::pread(&self.segment, buffer, offset)?)
    }

    /// The terminal's master side: for waiting, input and window size.
    pub fn master(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }

    /// The segment itself.
    pub fn segment(&self) -> BorrowedFd<'_> {
        self.segment.as_fd()
    }

    /// Master, pipe_r, pipe_w, segment: in the order the link tells them.
    pub(crate) fn fds(&self) -> [BorrowedFd<'_>; 4] {
        [self.master.as_fd(), self.pipe_r.as_fd(), self.pipe_w.as_fd(), self.segment.as_fd()]
    }

    /// One move of up to `max` bytes.
    fn step(&mut self, max: usize) -> io::Result<Step> {
        match self.fill_pipe(max) {
            Ok(count @ 1..) => {
                self.queued += count;
                Ok(Step::Moved(self.empty_pipe()?))
            }
            Err(Errno::INVAL) if !tty_splices() => self.copy(max),
            nothing => Step::nothing(nothing),
        }
    }

    fn fill_pipe(&self, max: usize) -> rustix::io::Result<usize> {
        let flags = SpliceFlags::NONBLOCK | SpliceFlags::MOVE;
        retry_on_intr(|| splice(&self.master, None, &self.pipe_w, None, max, flags))
    }

    fn empty_pipe(&mut self) -> io::Result<usize> {
        let before = self.head;
        while self.queued > 0 {
            let into = Some(&mut self.head);
            match splice(&self.pipe_r, None, &self.segment, into, self.queued, SpliceFlags::NONBLOCK) {
                Ok(count) => self.queued -= count.min(self.queued),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(usize::try_from(self.head - before).unwrap_or(usize::MAX))
    }

    /// For kernels whose terminals do not splice: a kill between the two calls loses what is in `buffer`.
    fn copy(&mut self, max: usize) -> io::Result<Step> {
        let mut buffer = [0; STEP];
        match retry_on_intr(|| rustix::io::read(&self.master, &mut buffer[..max])) {
            Ok(count @ 1..) => {
                self.append(&buffer[..count])?;
                Ok(Step::Moved(count))
            }
            nothing => Step::nothing(nothing),
        }
    }

    fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = rustix::io::pwrite(&self.segment, bytes, self.head)?;
            self.head += count as u64;
            bytes = &bytes[count..];
        }
        Ok(())
    }
}

/// For waiting: the master.
impl AsFd for Pump {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

/// For waiting: the master.
impl AsRawFd for Pump {
    fn as_raw_fd(&self) -> RawFd {
        self.master.as_raw_fd()
    }
}

/// Whether terminals splice here, found out once with a terminal of our own.
fn tty_splices() -> bool {
    static PROBED: OnceLock<bool> = OnceLock::new();
    *PROBED.get_or_init(|| probe().unwrap_or(false))
}

fn probe() -> io::Result<bool> {
    let pty = pty::open(80, 24)?;
    let (_pipe_r, pipe_w) = pty::pipe()?;
    rustix::io::write(&pty.slave, b"?")?;
    Ok(splice(&pty.master, None, &pipe_w, None, 1, SpliceFlags::NONBLOCK) != Err(Errno::INVAL))
}

#[cfg(test)]
mod tests;
