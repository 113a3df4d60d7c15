//! The daemon's address in the lock file of the state directory, where clients look for it.

use std::cell::RefCell;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use fugue_keeper::{DaemonAddress, InstanceLock};

/// The longest path that a Unix socket address holds, in bytes.
const MAX_SOCKET_PATH: usize = 107;

/// The address of this daemon, shared by the tasks that listen and shut down.
#[derive(Clone)]
pub(crate) struct PublishedAddress(Rc<AddressState>);

struct AddressState {
    state: PathBuf,
    lock: InstanceLock,
    address: RefCell<DaemonAddress>,
}

impl PublishedAddress {
    /// Publishes where this daemon will listen. Keeps the lock of the state directory, which the keeper passed on. One of
    /// an older version did not, and the one that it passed on is of no use if the directory was removed meanwhile.
    pub(crate) fn new(state: &Path, socket: &Path, listener: &OwnedFd) -> Result<Self, String> {
        let cannot = |why: io::Error| format!("cannot use the state directory {}: {why}", state.display());
        DirBuilder::new().mode(0o700).recursive(true).create(state).map_err(cannot)?;
        let lock = match fugue_keeper::inherited_lock().filter(|lock| is_in(state, lock)) {
            Some(lock) => lock,
            None => InstanceLock::try_acquire(state)
                .map_err(cannot)?
                .ok_or_else(|| cannot(io::Error::other("another daemon is using it")))?,
        };
        let address = DaemonAddress {
            socket: path_of(listener).unwrap_or_else(|| socket.to_owned()),
            original_socket: socket.to_owned(),
            keeper: rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get().cast_unsigned()),
            daemon: std::process::id(),
            is_shut_down: false,
        };
        let published =
            Self(Rc::new(AddressState { state: state.to_owned(), lock, address: address.into() }));
        published.publish();
        Ok(published)
    }

    /// The address of a daemon that nobody looks for.
    #[cfg(test)]
    pub(crate) fn unpublished(state: &Path) -> Self {
        let lock = InstanceLock::try_acquire(state).expect("a directory").expect("a free lock");
        let (state, address) = (state.to_owned(), DaemonAddress::default().into());
        Self(Rc::new(AddressState { state, lock, address }))
    }

    fn publish(&self) {
        if let Err(why) = self.0.lock.publish(&self.0.address.borrow()) {
            tracing::warn!("Cannot write the address to {}: {why}", self.0.state.display());
        }
    }

    /// The lock on the state directory, once more.
    pub(crate) fn lock(&self) -> io::Result<InstanceLock> {
        self.0.lock.try_clone()
    }

    /// Publishes another keeper.
    pub(crate) fn set_keeper(&self, pid: u32) {
        self.0.address.borrow_mut().keeper = pid;
        self.publish();
    }

    /// Publishes that this daemon was shut down.
    pub(crate) fn set_shut_down(&self) {
        self.0.address.borrow_mut().is_shut_down = true;
        self.publish();
    }

    /// The socket that this daemon listens on.
    pub(crate) fn socket(&self) -> PathBuf {
        self.0.address.borrow().socket.clone()
    }

    /// The socket that it was started with.
    pub(crate) fn original_socket(&self) -> PathBuf {
        self.0.address.borrow().original_socket.clone()
    }

    /// Publishes another socket.
    pub(crate) fn move_to(&self, socket: PathBuf) {
        self.0.address.borrow_mut().socket = socket;
        self.publish();
    }

    /// Sockets to listen on if the original one cannot be bound: in the state directory, or in a private directory of
    /// this user if that path is too long.
    pub(crate) fn fallback_sockets(&self) -> Vec<PathBuf> {
        let own = self.0.state.join("socket");
        let private = private_temp_dir().map(|dir| dir.join(format!("{}.sock", std::process::id())));
        let fits = |path: &PathBuf| path.as_os_str().len() <= MAX_SOCKET_PATH;
        [Some(own), private].into_iter().flatten().filter(fits).collect()
    }
}

/// Whether this is the lock that clients find in the state directory.
fn is_in(state: &Path, lock: &InstanceLock) -> bool {
    let Ok(held) = rustix::fs::fstat(lock) else { return false };
    std::fs::metadata(state.join("lock"))
        .is_ok_and(|found| (found.dev(), found.ino()) == (held.st_dev, held.st_ino))
}

fn path_of(listener: &OwnedFd) -> Option<PathBuf> {
    let listener = UnixListener::from(listener.as_fd().try_clone_to_owned().ok()?);
    listener.local_addr().ok()?.as_pathname().map(Path::to_owned)
}

/// The directory in which sockets are if there is no runtime directory. None if another user made it.
fn private_temp_dir() -> Option<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    let dir = PathBuf::from(format!("/tmp/fugue-{uid}"));
    let _ = DirBuilder::new().mode(0o700).create(&dir);
    let found = std::fs::symlink_metadata(&dir).ok().filter(|found| found.is_dir() && found.uid() == uid)?;
    if found.mode() & 0o077 != 0 {
        std::fs::set_permissions(&dir, Permissions::from_mode(0o700)).ok()?;
    }
    Some(dir)
}
