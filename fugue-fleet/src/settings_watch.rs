//! Notices that this host's part in the fleet has changed: `config.toml`, or a file with credentials that it names.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use fugue_config::{FileChange, FileWatch, POLL_INTERVAL};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::failure::say;
use crate::membership::Membership;

/// Waits until the files say something else than `current`, and returns what they say. Files that cannot be used change
/// nothing: they may be half written, and a relay that ended would relay nothing.
pub(crate) async fn changed(server: Option<&str>, current: &Membership) -> Membership {
    let mut files = FileWatch::new(current.files().into_iter().map(|file| (file, FileChange::Content)));
    let mut told = None;
    loop {
        let problem = match read(server).await {
            Ok(now) if now == *current => None,
            Ok(now) => return now,
            Err(why) => Some(format!("{why}\nthe former settings are still used")),
        };
        if let Some(problem) = problem.as_ref().filter(|_| problem != told) {
            say(problem);
        }
        told = problem;
        wait(&files).await;
        // On another thread: a home directory on the network may be slow.
        match tokio::task::spawn_blocking(move || (files.take_changes(), files)).await {
            Ok((_, looked)) => files = looked,
            Err(why) => {
                say(&format!("changes of the settings need a restart of the relay: {why}"));
                return std::future::pending().await;
            }
        }
    }
}

/// Reads what a relay that starts now would use.
async fn read(server: Option<&str>) -> Result<Membership, String> {
    let server = server.map(str::to_owned);
    let read =
        tokio::task::spawn_blocking(move || Membership::read(server).and_then(Membership::for_the_relay));
    let membership = read.await.map_err(|why| why.to_string())?.map_err(|why| why.to_string())?;
    membership.connect_options().await.map_err(|why| why.to_string())?;
    Ok(membership)
}

/// Waits until a file may have changed. A relay that can watch its files is not woken in between.
async fn wait(files: &FileWatch) {
    let ready = files.fd().and_then(|fd| readiness(fd).ok());
    match ready {
        Some(ready) if files.problem().is_none() => drop(ready.readable().await),
        Some(ready) => drop(tokio::time::timeout(POLL_INTERVAL, ready.readable()).await),
        None => tokio::time::sleep(POLL_INTERVAL).await,
    }
}

/// Watches a duplicate of a descriptor.
#[allow(unsafe_code, reason = "tokio cannot check that a descriptor stays the same; an owned one does")]
fn readiness(fd: BorrowedFd<'_>) -> io::Result<AsyncFd<OwnedFd>> {
    let copy = fd.try_clone_to_owned()?;
    // SAFETY: the `AsyncFd` owns `copy` from here on, and nothing swaps it, so it stays open and unchanged.
    unsafe { AsyncFd::register_with_interest(copy, Interest::READABLE) }.map_err(io::Error::from)
}
