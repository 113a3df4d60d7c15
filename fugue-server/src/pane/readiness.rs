//! When a pane's terminal has something to read, and when it takes more. The second is watched only while something
//! waits to be written: else each key that a program reads would wake the daemon once more.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::ready;

/// A terminal that is watched.
pub(super) struct Readiness {
    output: AsyncFd<OwnedFd>,
    room: Option<AsyncFd<OwnedFd>>,
}

impl Readiness {
    pub(super) fn new(terminal: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { output: ready::watch(terminal, Interest::READABLE)?, room: None })
    }

    /// Waits for output.
    pub(super) async fn output(&self) {
        let _ = self.output.readable().await;
    }

    /// There is no more now.
    pub(super) fn no_more(&self) {
        over(&self.output, Interest::READABLE);
    }

    /// Waits for room, if there was none.
    pub(super) async fn room(&self) {
        match &self.room {
            Some(room) => drop(room.writable().await),
            None => std::future::pending().await,
        }
    }

    /// The terminal takes no more now.
    pub(super) fn full(&mut self, terminal: BorrowedFd<'_>) -> io::Result<()> {
        match &self.room {
            Some(room) => over(room, Interest::WRITABLE),
            None => self.room = Some(ready::watch(terminal, Interest::WRITABLE)?),
        }
        Ok(())
    }

    /// It has taken everything.
    pub(super) fn taken(&mut self) {
        self.room = None;
    }
}

/// What tokio knows of a descriptor is over: it must wait for it anew.
fn over(watched: &AsyncFd<OwnedFd>, what: Interest) {
    let _ = watched.try_io(what, |_| Err::<(), _>(io::ErrorKind::WouldBlock.into()));
}
