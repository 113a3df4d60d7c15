//! A pane as the keeper holds it: the child, its output, and the newest snapshot.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::process::Pid;

use super::child::Child;
use super::pty;
use super::pump::{Pump, PumpState};
use super::spawn::SpawnedChild;
use crate::handover::image_table::{TableField, TableRecord};
use crate::link::connection::PaneFds;
use crate::link::messages::{Exit, Holding, PaneId};

/// The most that is moved for one pane before it is the next one's turn, in bytes.
const TURN_BYTES: usize = 256 << 10;

/// A pane as the keeper holds it.
pub(crate) struct KeptPane {
    pub child: Child,
    pub exit: Option<Exit>,
    /// Open until the child has executed its program.
    pub report: Option<OwnedFd>,
    pump: Pump,
    /// Kept open while the program runs, so that the terminal does not hang up if the program closes it for a while.
    slave: Option<OwnedFd>,
    snapshot: Option<OwnedFd>,
    stored: u64,
    /// The offset up to which a daemon has moved, and so seen, the output.
    seen: u64,
    output: OutputState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputState {
    Flowing,
    Stalled,
    Ended,
}

impl KeptPane {
    pub(crate) fn new(spawned: SpawnedChild) -> Self {
        let SpawnedChild { child, pump, slave, report } = spawned;
        Self {
            child,
            pump,
            exit: None,
            report: Some(report),
            slave: Some(slave),
            snapshot: None,
            stored: 0,
            seen: 0,
            output: OutputState::Flowing,
        }
    }

    /// A pane of a keeper that was killed, as the daemon describes it. The output before the snapshot is freed: the
    /// other keeper may have been killed before it did that.
    pub(crate) fn adopt(holding: &Holding, pid: Pid, fds: PaneFds) -> io::Result<Self> {
        let (pump, pidfd, snapshot) = Pump::from_fds(fds)?;
        let pane = Self {
            child: Child::adopt(pid, pidfd),
            pump,
            exit: holding.exit,
            report: None,
            slave: None,
            snapshot,
            stored: holding.stored_offset,
            seen: holding.seen_offset,
            output: OutputState::Flowing,
        };
        pane.free_stored()?;
        Ok(pane)
    }

    /// The pane in the table for the next image.
    pub(crate) fn table_fields(&self, id: &PaneId) -> Vec<TableField<'_>> {
        let number = |number: u64| TableField::Number(number.into());
        let mut fields = Vec::from(TableField::pane(id));
        fields.extend(self.child.table_fields());
        fields.extend(self.pump.fds().in_order().map(|fd| TableField::Fd(Some(fd))));
        fields.extend([number(self.stored), number(self.seen)]);
        fields.extend(TableField::exit(self.exit));
        let optional = [&self.snapshot, &self.slave, &self.report];
        fields.extend(optional.map(|fd| TableField::Fd(fd.as_ref().map(AsFd::as_fd))));
        fields
    }

    pub(crate) fn from_record(mut record: TableRecord) -> io::Result<(PaneId, Self)> {
        let id = record.pane()?;
        let child = Child::from_record(&mut record)?;
        let (master, pipe_r, pipe_w, segment) = (record.fd()?, record.fd()?, record.fd()?, record.fd()?);
        let pane = Self {
            child,
            pump: Pump::new(master, pipe_r, pipe_w, segment)?,
            stored: record.number()?,
            seen: record.number()?,
            exit: record.exit()?,
            snapshot: record.optional_fd()?,
            slave: record.optional_fd()?,
            report: record.optional_fd()?,
            output: OutputState::Flowing,
        };
        Ok((id, pane))
    }

    pub(crate) fn holding(&self, pane: PaneId) -> Holding {
        Holding {
            pane,
            pid: self.child.pid.as_raw_nonzero().get(),
            stored_offset: self.stored,
            seen_offset: self.seen,
            snapshot: self.snapshot.is_some(),
            stalled: self.output == OutputState::Stalled,
            exit: self.exit,
        }
    }

    /// The descriptors, in the order in which the link sends them.
    pub(crate) fn fds(&self) -> Vec<BorrowedFd<'_>> {
        let snapshot = self.snapshot.as_ref().map(AsFd::as_fd);
        self.pump.fds().in_order().into_iter().chain([self.child.pidfd()]).chain(snapshot).collect()
    }

    /// The descriptor to poll for output, unless it has stalled or ended.
    pub(crate) fn output_fd(&self) -> Option<BorrowedFd<'_>> {
        (self.output == OutputState::Flowing).then(|| self.pump.master())
    }

    /// The descriptor to poll for the program's exit, until it has exited.
    pub(crate) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.child.exit_fd().filter(|_| self.exit.is_none())
    }

    /// When to try to reap the program again.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.child.wake_at().filter(|_| self.exit.is_none())
    }

    /// The foreground process group of the terminal.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(self.pump.master()).ok()
    }

    pub(crate) fn set_exit(&mut self, exit: Exit) {
        self.exit = Some(exit);
        self.slave = None;
    }

    /// Continues where the daemon stopped, after the lease came back.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        self.output = OutputState::Flowing;
        self.pump.resume()?;
        self.seen = self.pump.head();
        Ok(())
    }

    /// Moves some output. At the quota, or if the segment cannot grow, the output stalls until a daemon has the lease.
    pub(crate) fn pump(&mut self, quota: u64) -> io::Result<()> {
        let turn = self.pump.turn(TURN_BYTES.min(self.room(quota)));
        self.output = match &turn {
            Ok(turn) if turn.state == PumpState::Hangup => OutputState::Ended,
            Ok(_) if self.room(quota) > 0 => OutputState::Flowing,
            _ => OutputState::Stalled,
        };
        turn.map(|_| ())
    }

    fn room(&self, quota: u64) -> usize {
        let held = self.pump.head().saturating_sub(self.stored);
        usize::try_from(quota.saturating_sub(held)).unwrap_or(usize::MAX)
    }

    /// Stores a newer snapshot and frees the output before it. Returns `false` if it is not newer, or is ahead of the
    /// output.
    pub(crate) fn store(&mut self, offset: u64, snapshot: OwnedFd) -> io::Result<bool> {
        self.pump.resume()?;
        if offset < self.stored || offset > self.pump.head() {
            return Ok(false);
        }
        let from = self.stored;
        (self.stored, self.snapshot) = (offset, Some(snapshot));
        if offset > from {
            self.free_stored()?;
        }
        Ok(true)
    }

    /// Opens the other side of the terminal of a program that runs, so that it does not hang up. That may fail for a
    /// moment, for lack of memory or descriptors.
    pub(crate) fn hold_terminal(&mut self) -> io::Result<()> {
        if self.exit.is_some() || self.slave.is_some() {
            return Ok(());
        }
        match pty::open_slave(self.pump.master()) {
            Ok(slave) => self.slave = Some(slave),
            // The terminal has hung up.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Frees the output before the snapshot.
    fn free_stored(&self) -> io::Result<()> {
        self.pump.fds().free(self.stored)
    }
}
