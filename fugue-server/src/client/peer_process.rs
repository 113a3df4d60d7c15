//! The process at the other end of a connection. Its pid is pinned by a pidfd, so that a process that gets the same pid
//! later is not taken for it.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::processes::process_ancestors::{Ancestry, KnownProcesses};

/// The process that connected.
pub(super) struct PeerProcess {
    pub(super) pid: Option<u32>,
    pidfd: Option<OwnedFd>,
}

impl PeerProcess {
    /// The process that connected to a socket, with the pid that the kernel reported.
    pub(super) fn new(socket: impl AsFd, pid: Option<i32>) -> Self {
        let pid = pid.and_then(Pid::from_raw);
        // Before Linux 6.5 the pid is pinned only now, which leaves the moment since the connection was made.
        let pinned = fugue_keeper::peer_pidfd(&socket).ok();
        let pidfd = pinned.or_else(|| pidfd_open(pid?, PidfdFlags::empty()).ok());
        Self { pid: pid.map(|pid| pid.as_raw_nonzero().get().cast_unsigned()), pidfd }
    }

    /// The ancestors of the process, if it was running until they were read.
    pub(super) fn ancestry(&self, known: &mut KnownProcesses) -> Ancestry {
        let Some(pid) = self.pid else { return Ancestry::unseen() };
        let read = Ancestry::of(pid, known);
        if self.is_running() { read } else { Ancestry::unseen() }
    }

    /// Whether it is running. Its pidfd becomes readable when it ends.
    fn is_running(&self) -> bool {
        let Some(pidfd) = &self.pidfd else { return false };
        let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ended| ended == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ancestors_of_a_peer_that_has_ended_are_not_those_of_a_process_with_its_pid() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep");
        let pid = Pid::from_child(&child);
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).expect("a pidfd");
        child.kill().expect("killed");
        child.wait().expect("reaped");
        // As if this test's own process had got the pid.
        let reused = PeerProcess { pid: Some(std::process::id()), pidfd: Some(pidfd) };
        assert_eq!(reused.ancestry(&mut KnownProcesses::default()), Ancestry::unseen());
    }

    #[test]
    fn a_peer_is_pinned_by_the_kernel() {
        let (ours, _theirs) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
        let own = PeerProcess::new(&ours, Some(std::process::id().cast_signed()));
        assert!(own.ancestry(&mut KnownProcesses::default()).is_whole);
    }
}
