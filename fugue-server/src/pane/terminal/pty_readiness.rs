//! Readiness of a pane's terminal for reading and writing. Room for writing is watched only while input is waiting: else
//! every key that a program reads would wake the daemon once more.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::fd_readiness;

/// A terminal that is watched.
pub(super) struct TerminalReadiness {
    output: AsyncFd<OwnedFd>,
    room: Option<AsyncFd<OwnedFd>>,
}

impl TerminalReadiness {
    pub(crate) fn new(terminal: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { output: fd_readiness::watch(terminal, Interest::READABLE)?, room: None })
    }

    /// Ready when there is output.
    pub(super) fn poll_readable(&self, context: &mut Context<'_>) -> Poll<()> {
        self.output.poll_read_ready(context).map(drop)
    }

    /// Takes note that all output was read.
    pub(super) fn clear_readable(&mut self, terminal: BorrowedFd<'_>) -> io::Result<()> {
        clear(&mut self.output, terminal, Interest::READABLE)
    }

    /// Ready when the terminal takes more input. Never ready if no input is waiting.
    pub(super) fn poll_writable(&self, context: &mut Context<'_>) -> Poll<()> {
        match &self.room {
            Some(room) => room.poll_write_ready(context).map(drop),
            None => Poll::Pending,
        }
    }

    /// Takes note that the terminal takes no more input now, and watches for room.
    pub(super) fn wait_for_room(&mut self, terminal: BorrowedFd<'_>) -> io::Result<()> {
        match &mut self.room {
            Some(room) => clear(room, terminal, Interest::WRITABLE)?,
            None => self.room = Some(fd_readiness::watch(terminal, Interest::WRITABLE)?),
        }
        Ok(())
    }

    /// Takes note that no input is waiting any more.
    pub(super) fn all_written(&mut self) {
        self.room = None;
    }
}

/// Clears tokio's cached readiness of a terminal that would block. To tokio, a hangup is final and cannot be cleared; but
/// a terminal that hung up with the killed keeper works again once the daemon has opened it, so it is watched anew.
fn clear(watched: &mut AsyncFd<OwnedFd>, terminal: BorrowedFd<'_>, interest: Interest) -> io::Result<()> {
    let _ = watched.try_io(interest, |_| Err::<(), _>(io::ErrorKind::WouldBlock.into()));
    if watched.try_io(interest, |_| Ok(())).is_ok() {
        *watched = fd_readiness::watch(terminal, interest)?;
    }
    Ok(())
}
