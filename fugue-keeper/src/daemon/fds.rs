//! The descriptors that a daemon inherits from the keeper.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::FileType;
use rustix::net::SocketType;
use rustix::net::sockopt::{socket_acceptconn, socket_type};
use rustix::process::getppid;

use crate::link::connection::Link;
use crate::locks::instance::InstanceLock;
use crate::sys;

/// The environment variable with the number of the link's descriptor.
pub const KEEPER_FD: &str = "FUGUE_KEEPER_FD";
/// The environment variable with the number of the listening socket's descriptor.
pub const LISTEN_FD: &str = "FUGUE_LISTEN_FD";
/// The environment variable with the number of the lock's descriptor.
pub const LOCK_FD: &str = "FUGUE_LOCK_FD";

/// Returns the link to the keeper and the listening client socket, if the keeper started this process. Both are made
/// close-on-exec again. Only the first call gets them, and it should come before the process opens anything else.
///
/// The variables alone prove nothing, since the daemon's children inherit them too: the link must have been created by
/// the parent process.
pub fn inherited() -> Option<(Link, OwnedFd)> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    let (link, listener) = (number(KEEPER_FD)?, number(LISTEN_FD)?);
    if link == listener || TAKEN.swap(true, Ordering::Relaxed) {
        return None;
    }
    let link = sys::adopt(link, is_link)?;
    let listener = sys::adopt(listener, |socket| socket_acceptconn(socket).unwrap_or(false))?;
    Some((Link::from_fd(link), listener))
}

/// Returns the lock on the state directory, for a process that [`inherited`] the link. Only the first call gets it.
pub fn inherited_lock() -> Option<InstanceLock> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    let lock = number(LOCK_FD).filter(|_| !TAKEN.swap(true, Ordering::Relaxed))?;
    let is_file = |file: BorrowedFd<'_>| {
        rustix::fs::fstat(file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file())
    };
    sys::adopt(lock, is_file).map(InstanceLock::from_fd)
}

fn number(variable: &str) -> Option<i32> {
    std::env::var(variable).ok()?.parse().ok().filter(|&number| number > 2)
}

fn is_link(socket: BorrowedFd<'_>) -> bool {
    let creator = sys::peer_credentials(socket).ok().and_then(|peer| peer.pid);
    socket_type(socket) == Ok(SocketType::SEQPACKET) && creator.is_some() && creator == getppid()
}
