//! The termination of a program whose pane was closed: a hangup signal, a grace period, then a kill.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::child::Child;
use super::kept_pane::KeptPane;
use crate::handover::image_table::{TableField, TableRecord};
use crate::link::messages::{Exit, PaneId};
use crate::process_stat::ProcessStat;

/// Enough for an editor to save its swap file and for a shell to pass the signal on.
const GRACE_PERIOD: Duration = Duration::from_secs(3);

/// A program that is being terminated.
pub(crate) struct Termination {
    pub pane: PaneId,
    /// Whether to report the exit to the daemon.
    pub report_exit: bool,
    child: Child,
    /// The foreground process group, if it is not the program's own.
    foreground: Option<Pid>,
    deadline: Instant,
    killed: bool,
}

impl Termination {
    /// Sends a hangup to the program and to its foreground job.
    pub(crate) fn start(id: PaneId, pane: KeptPane, report_exit: bool, now: Instant) -> Self {
        let foreground = pane.foreground().filter(|&group| group != pane.child.pid);
        Self { foreground, ..Self::await_exit(id, pane.child, report_exit, now) }.hang_up()
    }

    /// Starts over with a program whose keeper was killed while it terminated it.
    pub(crate) fn restart(id: PaneId, child: Child, now: Instant) -> Self {
        Self::await_exit(id, child, false, now).hang_up()
    }

    fn hang_up(self) -> Self {
        self.signal(Signal::HUP);
        // A stopped program acts on a signal only once it continues.
        self.signal(Signal::CONT);
        self
    }

    /// Waits for a child that exits by itself.
    pub(crate) fn await_exit(pane: PaneId, child: Child, report_exit: bool, now: Instant) -> Self {
        Self { pane, child, report_exit, foreground: None, deadline: now + GRACE_PERIOD, killed: false }
    }

    /// The termination in the table for the next image.
    pub(crate) fn table_fields(&self) -> Vec<TableField<'_>> {
        let remaining = self.deadline.saturating_duration_since(Instant::now()).as_millis();
        let foreground = self.foreground.map_or(0, |group| group.as_raw_nonzero().get());
        let mut fields = Vec::from(TableField::pane(&self.pane));
        fields.extend(self.child.table_fields());
        fields.extend([TableField::flag(self.report_exit), TableField::Number(foreground.into())]);
        fields.extend([TableField::Number(remaining.cast_signed()), TableField::flag(self.killed)]);
        fields
    }

    pub(crate) fn from_record(mut record: TableRecord) -> io::Result<Self> {
        let pane = record.pane()?;
        let child = Child::from_record(&mut record)?;
        Ok(Self {
            pane,
            child,
            report_exit: record.flag()?,
            foreground: Pid::from_raw(record.number::<u32>()?.cast_signed()),
            deadline: Instant::now() + Duration::from_millis(record.number()?),
            killed: record.flag()?,
        })
    }

    /// The program.
    pub(crate) fn child(&self) -> &Child {
        &self.child
    }

    /// The descriptor to poll for the exit.
    pub(crate) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.child.exit_fd()
    }

    /// When to advance even if nothing happens.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.child.wake_at().into_iter().chain((!self.killed).then_some(self.deadline)).min()
    }

    /// Does what is due and returns the exit once everything has exited. Until then the program is not reaped, so that
    /// its pid, which is also the id of its group and session, cannot be reused before the last signal.
    pub(crate) fn advance(&mut self, now: Instant) -> Option<Exit> {
        if now >= self.deadline && !self.killed {
            self.signal(Signal::KILL);
            self.killed = true;
        }
        if !self.child.has_exited() {
            return None;
        }
        if !self.killed && self.foreground_job().is_some() {
            self.child.recheck_later(now);
            return None;
        }
        self.child.reap(now)
    }

    fn signal(&self, signal: Signal) {
        let own = Some(self.child.pid).filter(|_| !self.child.is_pid_reused());
        for group in [own, self.foreground_job()].into_iter().flatten() {
            // An error means that it is gone already.
            let _ = kill_process_group(group, signal);
        }
    }

    /// The foreground process group while it exists, unless its id was reused by another session.
    fn foreground_job(&self) -> Option<Pid> {
        let ours = |&group: &Pid| {
            ProcessStat::of_process(group).is_none_or(|stat| stat.is_in_session_of(self.child.pid))
        };
        self.foreground.filter(ours).filter(|&group| test_kill_process_group(group).is_ok())
    }
}
