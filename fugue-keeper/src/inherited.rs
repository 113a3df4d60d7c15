//! The daemon's side of its own start: the two descriptors the keeper left for it.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::SocketType;
use rustix::net::sockopt::{socket_acceptconn, socket_peercred, socket_type};
use rustix::process::getppid;

use crate::link::Link;
use crate::sys;

/// Environment variable with the number of the link's descriptor.
pub const KEEPER_FD: &str = "FUGUE_KEEPER_FD";
/// Environment variable with the number of the listening socket's descriptor.
pub const LISTEN_FD: &str = "FUGUE_LISTEN_FD";

/// The link to the keeper and the listening client socket, if the keeper started this process. Both are close-on-exec
/// again. Only the first call gets them, and it should come before the process opens anything else.
///
/// The variables alone prove nothing, since the daemon's own children see them too: the link must be one that our
/// parent made.
pub fn inherited() -> Option<(Link, OwnedFd)> {
    static ASKED: AtomicBool = AtomicBool::new(false);
    let (link, listener) = (number(KEEPER_FD)?, number(LISTEN_FD)?);
    if link == listener || ASKED.swap(true, Ordering::Relaxed) {
        return None;
    }
    let link = sys::adopt(link, is_link)?;
    let listener = sys::adopt(listener, |socket| socket_acceptconn(socket).unwrap_or(false))?;
    Some((Link::from_fd(link), listener))
}

fn number(variable: &str) -> Option<i32> {
    std::env::var(variable).ok()?.parse().ok().filter(|&number| number > 2)
}

fn is_link(socket: std::os::fd::BorrowedFd<'_>) -> bool {
    let made_by = socket_peercred(socket).map(|peer| peer.pid).ok();
    socket_type(socket) == Ok(SocketType::SEQPACKET) && made_by.is_some() && made_by == getppid()
}
