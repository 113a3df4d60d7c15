//! The keeper, as its daemon watches it.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getppid, pidfd_open, pidfd_send_signal};

use crate::link::connection::Link;
use crate::process_stat::ProcessStat;
use crate::sys::peer_credentials;

/// How long a daemon waits for the death of a keeper that closed the link, or that it kills: less than the keeper gives the
/// daemon.
const DEATH: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// The keeper, as its daemon watches it. The descriptor is the process: a pid alone may belong to another one later.
#[derive(Debug)]
pub struct KeeperWatch {
    pid: Pid,
    /// None if the keeper was dead already.
    pidfd: Option<OwnedFd>,
}

impl KeeperWatch {
    /// Watches the keeper that made this link, and that is the parent of this process. It may be dead already.
    pub fn of_link(link: &Link) -> io::Result<Self> {
        let pid = peer_credentials(link)?.pid.ok_or(Errno::SRCH)?;
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Err(Errno::SRCH) => None,
            // If the keeper is still the parent after its descriptor was opened, its pid was not another process's.
            pidfd => Some(pidfd?).filter(|_| getppid() == Some(pid)),
        };
        Ok(Self { pid, pidfd })
    }

    /// Watches the keeper that sent this descriptor with `Successor`.
    pub fn of_successor(pid: i32, pidfd: OwnedFd) -> Option<Self> {
        Some(Self { pid: Pid::from_raw(pid).filter(|_| pid > 0)?, pidfd: Some(pidfd) })
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// Whether the keeper is dead, after it closed the link. One that is not has given up this daemon, and kills it.
    pub fn is_dead(&self) -> bool {
        self.exits_within(DEATH)
    }

    /// The state of the process, as in [`ProcessStat::state`]; none if it is dead.
    pub fn state(&self) -> Option<char> {
        let stat = ProcessStat::of_process(self.pid);
        // The facts were those of this process if it still has the pid.
        stat.filter(|_| !self.exits_within(Timespec::default())).map(|stat| stat.state)
    }

    /// Kills the keeper, so that it never acts again, also if it is stopped and continued later. One that is blocked in the
    /// kernel may outlive this call, but executes nothing more.
    pub fn kill(&self) {
        if let Some(pidfd) = &self.pidfd {
            let _ = pidfd_send_signal(pidfd, Signal::KILL);
            self.exits_within(DEATH);
        }
    }

    fn exits_within(&self, time: Timespec) -> bool {
        self.pidfd.as_ref().is_none_or(|pidfd| {
            let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
            poll(&mut fds, Some(&time)).is_ok_and(|count| count > 0)
        })
    }
}
