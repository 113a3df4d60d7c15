//! Readiness of descriptors that tokio does not own, such as terminals and the link to the keeper.
#![allow(unsafe_code, reason = "tokio cannot check that a descriptor stays the same; an owned one does")]

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Watches a duplicate of a descriptor; the original, used for I/O, stays with its owner.
pub(crate) fn watch(fd: BorrowedFd<'_>, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    let copy = fd.try_clone_to_owned()?;
    // SAFETY: `copy` is owned by the `AsyncFd` from here on; nothing else knows its number, so it stays open and
    // unchanged until the `AsyncFd` is dropped. No caller swaps the inner value: the `AsyncFd` only reports readiness.
    let watched = unsafe { AsyncFd::register_with_interest(copy, interest) };
    watched.map_err(io::Error::from)
}
