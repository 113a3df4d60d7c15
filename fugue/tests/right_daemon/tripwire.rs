//! A socket that counts who connects to it, and hangs up.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

pub(crate) struct Tripwire(UnixListener);

impl AsFd for Tripwire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Tripwire {
    pub(crate) fn at(path: &Path) -> Self {
        let listener = UnixListener::bind(path).expect("a socket");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("its mode");
        listener.set_nonblocking(true).expect("it does not block");
        Self(listener)
    }

    /// How many have connected since the last time; they are hung up on.
    pub(crate) fn take(&self) -> usize {
        std::iter::from_fn(|| self.0.accept().ok()).count()
    }
}
