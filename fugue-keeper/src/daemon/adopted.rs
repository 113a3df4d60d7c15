//! The daemon of a keeper that was killed, as its successor gets it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::SocketType;
use rustix::net::sockopt::socket_type;
use rustix::process::{Pid, getppid};

use crate::link::connection::Link;
use crate::link::messages::{Malformed, Message};
use crate::locks::instance::InstanceLock;
use crate::program::child::Child;
use crate::sys::peer_credentials;

/// The daemon of a killed keeper, as its successor receives it.
#[derive(Debug)]
pub struct AdoptedDaemon {
    link: Link,
    pid: Pid,
    pidfd: OwnedFd,
}

impl AdoptedDaemon {
    /// Receives the daemon, the listening socket and the lock over the link that the daemon, the parent of this process,
    /// made its standard input. The message is there already.
    pub fn receive(link: OwnedFd) -> io::Result<(Self, OwnedFd, Option<InstanceLock>)> {
        let daemon = peer_credentials(&link)?.pid.filter(|&pid| getppid() == Some(pid));
        let (Some(pid), SocketType::SEQPACKET) = (daemon, socket_type(&link)?) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let link = Link::from_fd(link);
        match link.try_recv()? {
            Some((Message::Succeed, fds)) => {
                let mut fds = fds.into_iter();
                let mut next = || fds.next().ok_or(Malformed::Descriptors);
                let (pidfd, listener) = (next()?, next()?);
                Ok((Self { link, pid, pidfd }, listener, fds.next().map(InstanceLock::from_fd)))
            }
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// The process, which is watched by its pidfd, and the link to it.
    pub(crate) fn into_parts(self) -> (Child, Link) {
        (Child::adopt(self.pid, self.pidfd), self.link)
    }

    /// The descriptors to keep open in the successor.
    pub(crate) fn fds(&self) -> [BorrowedFd<'_>; 2] {
        [self.link.as_fd(), self.pidfd.as_fd()]
    }
}
