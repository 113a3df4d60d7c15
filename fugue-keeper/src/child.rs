//! A process the keeper is the parent of: waiting for its end, and collecting it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process, pidfd_open, pidfd_send_signal, waitpid,
};

use crate::wire::Exit;

/// First and longest pause before looking again at a child that has ended and cannot be collected yet.
const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(1);

/// A child of the keeper.
pub struct Child {
    pub pid: Pid,
    pidfd: OwnedFd,
    look: Option<Look>,
}

/// When to look again, and after how long the last time.
struct Look {
    at: Instant,
    pause: Duration,
}

impl Child {
    /// The child just forked. One that cannot be watched is not kept.
    pub fn new(pid: Pid) -> io::Result<Self> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Self { pid, pidfd, look: None }),
            Err(errno) => {
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::empty());
                Err(errno.into())
            }
        }
    }

    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Sends the signal to this process alone.
    pub fn signal(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    /// What to wait for, unless it has come and there is more to wait for.
    pub fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.look.is_none().then(|| self.pidfd.as_fd())
    }

    /// When to look even if nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        self.look.as_ref().map(|look| look.at)
    }

    /// Whether it has ended. It may still have to be collected.
    pub fn has_ended(&self) -> bool {
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0)
    }

    /// The end has come, but it cannot be acted on yet: look again later, and ever later.
    pub fn look_later(&mut self, now: Instant) {
        let pause = self.look.as_ref().map_or(SHORT, |look| (look.pause * 2).min(LONG));
        self.look = Some(Look { at: now + pause, pause });
    }

    /// Collects it. A child whose end is told may not be ours to collect yet, while a debugger has it.
    pub fn reap(&mut self, now: Instant) -> Option<Exit> {
        match waitpid(Some(self.pid), WaitOptions::NOHANG) {
            Ok(None) => {
                self.look_later(now);
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
