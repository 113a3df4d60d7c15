//! The lock that a process holds while it looks for a daemon or starts one, so that only one does at a time.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// How often a held lock is tried again: starting a keeper takes a few milliseconds.
const RETRY: Duration = Duration::from_millis(5);

/// A held lock, released when it is dropped.
#[derive(Debug)]
pub struct StartLock {
    _file: File,
}

impl StartLock {
    /// Waits for the lock of this state directory; fails with `TimedOut` if another process holds it until `deadline`.
    pub fn acquire(state: &Path, deadline: Instant) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(false).mode(0o600);
        let file = options.open(state.join("start.lock"))?;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(Errno::WOULDBLOCK) if Instant::now() < deadline => std::thread::sleep(RETRY),
                Err(Errno::WOULDBLOCK) => return Err(io::ErrorKind::TimedOut.into()),
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_until_it_is_dropped() {
        let dir = tempfile::tempdir().expect("a directory");
        let held = StartLock::acquire(dir.path(), Instant::now()).expect("a lock");
        let refused = StartLock::acquire(dir.path(), Instant::now()).expect_err("it is held");
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        drop(held);
        StartLock::acquire(dir.path(), Instant::now()).expect("it is free");
    }
}
