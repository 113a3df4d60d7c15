//! A process that the keeper watches: its own child, which it reaps, or one that it adopted after another keeper was
//! killed, whose exit status it reads from the pidfd after the reaper has reaped it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process, pidfd_open, pidfd_send_signal, waitpid,
};

use crate::handover::image_table::{TableField, TableRecord};
use crate::link::messages::{Exit, Malformed};
use crate::process_stat::ProcessStat;
use crate::sys;

/// The first and the longest pause between attempts to reap a child that has exited and cannot be reaped yet.
const FIRST_RECHECK: Duration = Duration::from_millis(5);
const LONGEST_RECHECK: Duration = Duration::from_secs(1);

/// How long an adopted process that has exited may stay unreaped before its exit status counts as unknown: the reaper
/// takes microseconds, and without a reaper it may never happen.
const REAPED_WITHIN: Duration = Duration::from_secs(5);

/// How long it may take before the reaper is looked at.
const REAPED_SOON: Duration = Duration::from_millis(200);

/// A child of the keeper, or a process that it adopted.
pub(crate) struct Child {
    pub pid: Pid,
    pidfd: OwnedFd,
    /// Whether this is another process's child.
    is_adopted: bool,
    recheck: Option<Recheck>,
}

/// When to try to reap the child again, and the pause before that.
struct Recheck {
    first: Instant,
    at: Instant,
    pause: Duration,
}

impl Child {
    /// The child just forked. If it cannot be watched it is killed and reaped.
    pub(crate) fn new(pid: Pid) -> io::Result<Self> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Self { pid, pidfd, is_adopted: false, recheck: None }),
            Err(errno) => {
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::empty());
                Err(errno.into())
            }
        }
    }

    /// A process that another keeper started.
    pub(crate) fn adopt(pid: Pid, pidfd: OwnedFd) -> Self {
        Self { pid, pidfd, is_adopted: true, recheck: None }
    }

    /// The process in the table for the next image.
    pub(crate) fn table_fields(&self) -> [TableField<'_>; 3] {
        let pid = TableField::Number(self.pid.as_raw_nonzero().get().into());
        [pid, TableField::Fd(Some(self.pidfd.as_fd())), TableField::flag(self.is_adopted)]
    }

    pub(crate) fn from_record(record: &mut TableRecord) -> io::Result<Self> {
        let pid = Pid::from_raw(record.number::<u32>()?.cast_signed()).ok_or(Malformed::Descriptors)?;
        Ok(Self { pid, pidfd: record.fd()?, is_adopted: record.flag()?, recheck: None })
    }

    pub(crate) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Sends a signal to this process, not to its group.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    /// The descriptor to poll for the exit, until the exit has been seen.
    pub(crate) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.recheck.is_none().then(|| self.pidfd.as_fd())
    }

    /// When to try to reap it again.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.recheck.as_ref().map(|recheck| recheck.at)
    }

    /// Whether it has exited. It may still have to be reaped.
    pub(crate) fn has_exited(&self) -> bool {
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0)
    }

    /// Schedules another check of a child that has exited and cannot be reaped yet, with growing pauses.
    pub(crate) fn recheck_later(&mut self, now: Instant) {
        let (first, pause) = self.recheck.as_ref().map_or((now, FIRST_RECHECK), |recheck| {
            (recheck.first, (recheck.pause * 2).min(LONGEST_RECHECK))
        });
        self.recheck = Some(Recheck { first, at: now + pause, pause });
    }

    /// Reaps it and returns its exit. While a debugger is attached, a child that has exited cannot be reaped yet.
    pub(crate) fn reap(&mut self, now: Instant) -> Option<Exit> {
        if self.is_adopted {
            return self.read_exit(now);
        }
        match waitpid(Some(self.pid), WaitOptions::NOHANG) {
            Ok(None) => {
                self.recheck_later(now);
                None
            }
            Ok(Some((_, status))) => Some(exit_of(status)),
            Err(_) => Some(Exit::Unknown),
        }
    }

    /// Returns the exit of an adopted process once the reaper has reaped it.
    fn read_exit(&mut self, now: Instant) -> Option<Exit> {
        let is_overdue = self.recheck.as_ref().is_some_and(|recheck| now - recheck.first >= REAPED_WITHIN);
        match self.wait_status() {
            Ok(Some(status)) => Some(exit_of_status(status)),
            Ok(None) if !is_overdue => {
                self.recheck_later(now);
                None
            }
            _ => Some(Exit::Unknown),
        }
    }

    /// Reads the wait status of an adopted process. The kernel looks for the status first and for the process afterwards:
    /// if it is reaped in between, the call fails although the status is there, so it is repeated.
    fn wait_status(&self) -> Result<Option<i32>, Errno> {
        let read = || sys::pidfd_exit(self.pidfd.as_fd());
        match read() {
            Err(Errno::SRCH) => read(),
            status => status,
        }
    }

    /// Whether it has exited and the reaper, which has to reap it, takes long.
    pub(crate) fn awaits_reaper(&self, now: Instant) -> bool {
        let waits = |recheck: &Recheck| now.saturating_duration_since(recheck.first) >= REAPED_SOON;
        self.is_adopted && self.recheck.as_ref().is_some_and(waits)
    }

    /// Whether the pid may belong to another process: an adopted process is reaped as soon as it exits.
    pub(crate) fn is_pid_reused(&self) -> bool {
        self.is_adopted && self.has_exited() && ProcessStat::of_process(self.pid).is_some()
    }
}

/// Interprets a wait status as the kernel encodes it.
fn exit_of_status(status: i32) -> Exit {
    match status {
        _ if libc::WIFEXITED(status) => Exit::Code(libc::WEXITSTATUS(status)),
        _ if libc::WIFSIGNALED(status) => Exit::Signal(libc::WTERMSIG(status)),
        _ => Exit::Unknown,
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal)).unwrap_or(Exit::Unknown)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// So many that some are reaped in the middle of a call.
    const CHILDREN: usize = 100;

    /// A process that has exited, as the keeper sees it, and as its parent does.
    fn exited() -> (Child, std::process::Child) {
        let parents = Command::new("sh").args(["-c", "exit 37"]).spawn().expect("a shell");
        let pid = Pid::from_child(&parents);
        let adopted = Child::adopt(pid, pidfd_open(pid, PidfdFlags::empty()).expect("a pidfd"));
        poll(&mut [PollFd::new(&adopted.pidfd, PollFlags::IN)], None).expect("its exit");
        (adopted, parents)
    }

    /// Whether this kernel keeps the exit status of a process that was reaped (Linux 6.15).
    fn kernel_keeps_exits() -> bool {
        let (adopted, mut parents) = exited();
        parents.wait().expect("reaped");
        adopted.wait_status().is_ok()
    }

    #[test]
    fn the_exit_of_a_process_is_known_even_if_it_is_reaped_while_its_status_is_read() {
        let expected = if kernel_keeps_exits() { Exit::Code(37) } else { Exit::Unknown };
        for _ in 0..CHILDREN {
            let (mut adopted, mut parents) = exited();
            let reaper = std::thread::spawn(move || parents.wait());
            let exit = std::iter::repeat_with(|| adopted.reap(Instant::now())).find_map(|exit| exit);
            assert_eq!(exit, Some(expected));
            reaper.join().expect("no panic").expect("reaped");
        }
    }
}
