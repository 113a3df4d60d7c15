//! The lock that a process holds while it starts a daemon or replaces the socket of one. It is a file beside the socket,
//! since the socket itself comes and goes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// A held lock, released when it is dropped.
#[derive(Debug)]
pub struct StartLock {
    _file: File,
}

impl StartLock {
    /// Waits for the lock of the daemon at this socket.
    pub fn acquire(socket: &Path) -> io::Result<Self> {
        Self::with(socket, FlockOperation::LockExclusive)
    }

    /// Takes the lock of the daemon at this socket; fails with `WouldBlock` if another process holds it.
    pub fn try_acquire(socket: &Path) -> io::Result<Self> {
        Self::with(socket, FlockOperation::NonBlockingLockExclusive)
    }

    fn with(socket: &Path, operation: FlockOperation) -> io::Result<Self> {
        let path = socket.with_extension("lock");
        let file = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(path)?;
        flock(&file, operation)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::StartLock;

    #[test]
    fn a_lock_is_held_until_it_is_dropped() {
        let dir = tempfile::tempdir().expect("a directory");
        let socket = dir.path().join("default.sock");
        let held = StartLock::acquire(&socket).expect("a lock");
        let refused = StartLock::try_acquire(&socket).expect_err("it is held");
        assert_eq!(refused.kind(), std::io::ErrorKind::WouldBlock);
        drop(held);
        StartLock::try_acquire(&socket).expect("it is free");
    }
}
