//! The daemon's limit of open files, where that is low: then the last ones are kept for people, and a client for which
//! there is none is told the reason.

use std::fs::{self, File};
use std::io;
use std::time::Duration;

use fugue_protocol::Refusal;
use fugue_protocol::refusal::Quota;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use tokio::net::UnixListener;

use super::connection_table::ConnectionTable;
use super::final_frame;

/// A limit from which on the connection table's own limits are reached first.
const AMPLE: u64 = 4_096;

/// The last files, which are kept for people: a dozen commands and terminals, and what their requests open.
const SPARE: usize = 24;

/// How long to wait for a connection that should be there.
const ACCEPT_TIMEOUT: Duration = Duration::from_millis(10);

/// Whether only the last files are left.
pub(super) fn are_short() -> bool {
    let Some(most) = limit().filter(|most| *most < AMPLE) else { return false };
    // If it cannot be read, there is not even one file left.
    let open = fs::read_dir("/proc/self/fd").map_or(usize::MAX, Iterator::count);
    open.saturating_add(SPARE) > usize::try_from(most).unwrap_or(usize::MAX)
}

fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// A file that is closed when none is left, so that the next client can be told.
pub(super) struct SpareFile(Option<File>);

impl SpareFile {
    pub(super) fn open() -> Self {
        Self(File::open("/dev/null").ok())
    }

    /// After `accept` failed for want of files: refuses the client that waits, and closes a connection without a
    /// greeting if there is one.
    pub(super) async fn refuse_next(
        &mut self,
        why: &io::Error,
        listener: &UnixListener,
        table: &ConnectionTable,
    ) {
        if ![Errno::MFILE, Errno::NFILE].iter().any(|errno| why.raw_os_error() == Some(errno.raw_os_error()))
        {
            return;
        }
        self.0 = None;
        table.close_one_ungreeted();
        if let Ok(Ok((socket, _))) = tokio::time::timeout(ACCEPT_TIMEOUT, listener.accept()).await {
            let limit = limit().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
            let refusal = Refusal::TooMany { what: Quota::OpenFiles, limit };
            final_frame::send_refusal(socket.into_split().1, &refusal).await;
        }
        *self = Self::open();
    }
}
