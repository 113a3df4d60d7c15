//! A pane as the keeper holds it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::fs::FallocateFlags;
use rustix::process::Pid;

use crate::child::Child;
use crate::pump::{Pump, State};
use crate::spawn::Birth;
use crate::wire::{Exit, Holding, PaneId};

/// At most this much of one pane before the next one has its turn.
const SHARE: usize = 256 << 10;

/// A pane as the keeper holds it.
pub struct Pane {
    pub child: Child,
    pub exit: Option<Exit>,
    /// Open until the child is known to have become its program.
    pub report: Option<OwnedFd>,
    pump: Pump,
    /// Held while the program lives, so that the terminal does not hang up when it closes its own for a while.
    slave: Option<OwnedFd>,
    snapshot: Option<OwnedFd>,
    stored: u64,
    /// How much of the output the last daemon moved, and so has seen.
    seen: u64,
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Flowing,
    Stalled,
    Ended,
}

impl Pane {
    pub fn new(birth: Birth) -> Self {
        let Birth { child, pump, slave, report } = birth;
        Self {
            child,
            pump,
            exit: None,
            report: Some(report),
            slave: Some(slave),
            snapshot: None,
            stored: 0,
            seen: 0,
            output: Output::Flowing,
        }
    }

    pub fn holding(&self, pane: PaneId) -> Holding {
        Holding {
            pane,
            pid: self.child.pid.as_raw_nonzero().get(),
            stored_offset: self.stored,
            seen_offset: self.seen,
            snapshot: self.snapshot.is_some(),
            stalled: self.output == Output::Stalled,
            exit: self.exit,
        }
    }

    /// In the order the link tells them.
    pub fn fds(&self) -> Vec<BorrowedFd<'_>> {
        let snapshot = self.snapshot.as_ref().map(AsFd::as_fd);
        self.pump.fds().into_iter().chain([self.child.pidfd()]).chain(snapshot).collect()
    }

    /// The master, when there is output to wait for.
    pub fn flowing(&self) -> Option<BorrowedFd<'_>> {
        (self.output == Output::Flowing).then(|| self.pump.master())
    }

    /// The program's end, while it is still to come.
    pub fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.child.awaited().filter(|_| self.exit.is_none())
    }

    /// When to look at the program even if nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        self.child.wake_at().filter(|_| self.exit.is_none())
    }

    /// The foreground process group of the terminal.
    pub fn foreground(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(self.pump.master()).ok()
    }

    pub fn ended(&mut self, exit: Exit) {
        self.exit = Some(exit);
        self.slave = None;
    }

    /// The lease came back: go on where the daemon stopped.
    pub fn resume(&mut self) -> io::Result<()> {
        self.output = Output::Flowing;
        self.pump.resume()?;
        self.seen = self.pump.head();
        Ok(())
    }

    /// Moves some output. At the quota, or when the segment cannot grow, the pane rests until a daemon has it.
    pub fn pump(&mut self, quota: u64) -> io::Result<()> {
        let turn = self.pump.turn(SHARE.min(self.room(quota)));
        self.output = match &turn {
            Ok(turn) if turn.state == State::Hangup => Output::Ended,
            Ok(_) if self.room(quota) > 0 => Output::Flowing,
            _ => Output::Stalled,
        };
        turn.map(|_| ())
    }

    fn room(&self, quota: u64) -> usize {
        let held = self.pump.head().saturating_sub(self.stored);
        usize::try_from(quota.saturating_sub(held)).unwrap_or(usize::MAX)
    }

    /// Takes a newer snapshot and lets the output below it go. `false` when it is not newer, or ahead of the output.
    pub fn store(&mut self, offset: u64, snapshot: OwnedFd) -> io::Result<bool> {
        self.pump.resume()?;
        if offset < self.stored || offset > self.pump.head() {
            return Ok(false);
        }
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let from = self.stored;
        (self.stored, self.snapshot) = (offset, Some(snapshot));
        if offset > from {
            rustix::fs::fallocate(self.pump.segment(), hole, 0, offset)?;
        }
        Ok(true)
    }
}
