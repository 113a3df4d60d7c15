//! Waiting for a descriptor that is not a socket of tokio's.
#![allow(unsafe_code, reason = "tokio cannot check that a descriptor stays the same; an owned one does")]

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Watches a copy of a descriptor: the one that reads and writes stays with its owner.
pub(crate) fn watch(fd: BorrowedFd<'_>, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    let copy = fd.try_clone_to_owned()?;
    // SAFETY: `copy` is owned by the `AsyncFd` from here on; nobody else has its number, so it stays open and the same
    // until the `AsyncFd` is dropped. No caller swaps the inner value: `AsyncFd` is only asked for readiness.
    let watched = unsafe { AsyncFd::register_with_interest(copy, interest) };
    watched.map_err(io::Error::from)
}
