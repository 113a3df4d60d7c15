//! The daemon's listening socket and its file. If the file is removed while programs are running, by a cleaner of
//! temporary directories for example, the daemon binds the path again, or another one if it cannot: a daemon that cannot
//! be reached has lost them all. No client binds a socket meanwhile, since this daemon holds the state directory's lock.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::published_address::PublishedAddress;
use crate::channels::local_watch::WatchReceiver;
use crate::client::{self, ConnectionTable, ServerContext};
use crate::keeper_link::{KeeperHandle, KeeperOrder};
use crate::tasks;

/// The first delay before another attempt to bind the path; each failure doubles it, up to `MAX_RETRY`.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const MAX_RETRY: Duration = Duration::from_secs(5);

/// How often a daemon that listens elsewhere looks at the original path.
const RECHECK: Duration = Duration::from_secs(60);

/// A handle that stops listening: the manager closes it when the daemon shuts down.
pub(crate) struct ListenerHandle {
    address: PublishedAddress,
    _open: oneshot::Sender<()>,
}

impl ListenerHandle {
    /// Returns a handle for the socket at this address, and a receiver that resolves when it is closed.
    pub(crate) fn new(address: PublishedAddress) -> (Self, oneshot::Receiver<()>) {
        let (open, closed) = oneshot::channel();
        (Self { address, _open: open }, closed)
    }

    /// Publishes the keeper that clients should know of.
    pub(crate) fn set_keeper(&self, pid: u32) {
        self.address.set_keeper(pid);
    }

    /// Stops listening and removes the socket, so that the next command starts another daemon; and records that this one
    /// was shut down, which is not what commands that only read have one started for.
    pub(crate) fn close(self) {
        self.address.set_shut_down();
        remove_socket(&self.address.socket());
    }
}

/// Accepts clients until the handle is closed.
pub(crate) async fn listen(
    address: PublishedAddress,
    listener: OwnedFd,
    closed: oneshot::Receiver<()>,
    context: ServerContext,
    keeper: KeeperHandle,
    changes: WatchReceiver<()>,
) {
    let is_bound = is_bound_to(&address.socket(), &listener);
    let mut guard = SocketGuard::new(address, is_bound, context, keeper);
    if let Err(why) = guard.accept_on(UnixListener::from(listener)) {
        return tracing::error!("Cannot accept clients: {why}");
    }
    let _ = guard.keeper.send(KeeperOrder::Serving);
    until_closed(closed, guard.watch(changes)).await;
}

/// Guards the socket until it is closed. The removal of the socket at the end is a change of its file as well, so the end
/// is looked at first: a socket that is bound again would accept clients whom nobody answers.
async fn until_closed(closed: oneshot::Receiver<()>, guarding: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        _ = closed => {}
        () = guarding => {}
    }
}

/// Guards the socket's file: notices when it is gone, and binds the path again.
struct SocketGuard {
    address: PublishedAddress,
    context: ServerContext,
    keeper: KeeperHandle,
    connections: ConnectionTable,
    /// Device and inode of our own socket file.
    inode: Option<(u64, u64)>,
    accept_task: Option<JoinHandle<()>>,
}

impl SocketGuard {
    fn new(address: PublishedAddress, is_bound: bool, context: ServerContext, keeper: KeeperHandle) -> Self {
        let connections = ConnectionTable::default();
        let inode = inode(&address.socket()).filter(|_| is_bound);
        Self { inode, address, context, keeper, connections, accept_task: None }
    }

    fn accept_on(&mut self, listener: UnixListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::UnixListener::from_std(listener)?;
        let accept = client::accept(listener, self.connections.clone(), self.context.clone());
        if let Some(before) = self.accept_task.replace(tasks::spawn_local(accept)) {
            before.abort();
        }
        Ok(())
    }

    /// Waits until the socket's file may be gone, and restores it. It polls only while the file is not ours.
    async fn watch(&mut self, mut changes: WatchReceiver<()>) {
        let mut pause = FIRST_RETRY;
        loop {
            if self.is_ours() {
                pause = FIRST_RETRY;
                let limit = if self.has_moved() { RECHECK } else { Duration::MAX };
                if tokio::time::timeout(limit, changes.changed()).await == Ok(false) {
                    tokio::time::sleep(RECHECK).await;
                }
                if self.has_moved() {
                    let _ = self.restore_at(self.address.original_socket()).await;
                }
            } else if !self.try_restore(pause == FIRST_RETRY).await {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_RETRY);
            }
        }
    }

    /// Restores the socket and returns whether that worked; a failure is logged only the first time.
    async fn try_restore(&mut self, log_failure: bool) -> bool {
        let removed = self.address.socket();
        let done = self.restore().await;
        match &done {
            Ok(()) => {
                let socket = self.address.socket();
                tracing::warn!(
                    "The socket {} was removed; now listening on {}",
                    removed.display(),
                    socket.display()
                );
            }
            Err(why) if log_failure => {
                tracing::error!(
                    "The socket {} was removed and cannot be recreated: {why}",
                    removed.display()
                );
            }
            Err(_) => {}
        }
        done.is_ok()
    }

    fn is_ours(&self) -> bool {
        self.inode.is_some() && inode(&self.address.socket()) == self.inode
    }

    /// Whether it listens elsewhere than it was told to.
    fn has_moved(&self) -> bool {
        self.address.socket() != self.address.original_socket()
    }

    /// Binds the original path again or, if that is not possible, another one.
    async fn restore(&mut self) -> io::Result<()> {
        let Err(why) = self.restore_at(self.address.original_socket()).await else { return Ok(()) };
        for path in self.address.fallback_sockets() {
            if self.restore_at(path).await.is_ok() {
                return Ok(());
            }
        }
        Err(why)
    }

    /// Binds a path, unless another daemon listens there, and publishes it. The keeper holds the new socket for the next
    /// daemon.
    async fn restore_at(&mut self, path: PathBuf) -> io::Result<()> {
        let directory = path.parent().ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new().mode(0o700).recursive(true).create(directory)?;
        let listener = bind(&path).await?;
        let copy = listener.as_fd().try_clone_to_owned()?;
        self.accept_on(listener)?;
        let former = self.address.socket();
        self.inode = inode(&path);
        if former != path {
            let _ = fs::remove_file(former);
            self.address.move_to(path);
        }
        let sent = self.keeper.send(KeeperOrder::Listen { listener: copy });
        sent.map_err(|_| io::Error::other("the keeper is not responding"))
    }
}

async fn bind(path: &Path) -> io::Result<UnixListener> {
    // connect() blocks when the backlog is full, so a timeout means that another daemon listens, too.
    let tried = tokio::time::timeout(FIRST_RETRY, tokio::net::UnixStream::connect(path)).await;
    if !matches!(tried, Ok(Err(_))) {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another daemon is listening there"));
    }
    remove_socket(path);
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Whether the file at a path is the one of this socket: while no daemon was running, another program may have put its own
/// there. A connection to it then has another listener at its end.
fn is_bound_to(path: &Path, listener: &OwnedFd) -> bool {
    let connect = || {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
        Ok::<_, Errno>(socket)
    };
    let peer = |socket: &OwnedFd| {
        let peer = fugue_keeper::peer_credentials(socket).ok()?;
        Some((peer.pid, peer.uid))
    };
    match connect() {
        Ok(socket) => peer(&socket) == peer(listener),
        // Its queue is full, so somebody listens; who it is shows when this daemon has worked off its own.
        Err(Errno::AGAIN) => true,
        Err(_) => false,
    }
}

/// Removes a socket, and nothing else.
fn remove_socket(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
        let _ = fs::remove_file(path);
    }
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_put_in_place_of_the_socket_is_not_taken_for_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("socket");
        let own = OwnedFd::from(UnixListener::bind(&path).expect("a socket"));
        assert!(is_bound_to(&path, &own));
        fs::remove_file(&path).expect("removed");
        assert!(!is_bound_to(&path, &own));
        fs::write(&path, "another file").expect("written");
        assert!(!is_bound_to(&path, &own));
        remove_socket(&path);
        assert!(path.exists(), "it is no socket");
        fs::remove_file(&path).expect("removed");
        drop(UnixListener::bind(&path).expect("a socket"));
        assert!(!is_bound_to(&path, &own), "nobody listens there");
    }
    #[tokio::test]
    async fn a_socket_that_is_removed_by_a_shutdown_is_not_bound_again() {
        // Often, since the order would be a random one.
        for _ in 0..64 {
            let (open, closed) = oneshot::channel();
            drop(open);
            until_closed(closed, async { panic!("it restores the socket") }).await;
        }
    }
}
