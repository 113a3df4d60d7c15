//! A child process of the keeper: waiting for its exit, and reaping it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process, pidfd_open, pidfd_send_signal, waitpid,
};

use crate::messages::Exit;

/// The first and the longest pause between attempts to reap a child that has exited and cannot be reaped yet.
const FIRST_RECHECK: Duration = Duration::from_millis(5);
const LONGEST_RECHECK: Duration = Duration::from_secs(1);

/// A child of the keeper.
pub(crate) struct Child {
    pub pid: Pid,
    pidfd: OwnedFd,
    recheck: Option<Recheck>,
}

/// When to try to reap the child again, and the pause before that.
struct Recheck {
    at: Instant,
    pause: Duration,
}

impl Child {
    /// The child just forked. If it cannot be watched it is killed and reaped.
    pub(crate) fn new(pid: Pid) -> io::Result<Self> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Self { pid, pidfd, recheck: None }),
            Err(errno) => {
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::empty());
                Err(errno.into())
            }
        }
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
        let pause =
            self.recheck.as_ref().map_or(FIRST_RECHECK, |recheck| (recheck.pause * 2).min(LONGEST_RECHECK));
        self.recheck = Some(Recheck { at: now + pause, pause });
    }

    /// Reaps it and returns its exit. While a debugger is attached, a child that has exited cannot be reaped yet.
    pub(crate) fn reap(&mut self, now: Instant) -> Option<Exit> {
        match waitpid(Some(self.pid), WaitOptions::NOHANG) {
            Ok(None) => {
                self.recheck_later(now);
                None
            }
            Ok(Some((_, status))) => Some(exit_of(status)),
            Err(_) => Some(Exit::Unknown),
        }
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal)).unwrap_or(Exit::Unknown)
}
