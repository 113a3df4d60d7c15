//! The daemon's listening socket and its file. If the file is removed while programs are running, by a cleaner of
//! temporary directories for example, the daemon binds the path again: a daemon that cannot be reached has lost them all.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fugue_keeper::StartLock;
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use tokio::io::Interest;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::{self, ConnectionTable, ServerContext};
use crate::keeper_link::{KeeperHandle, KeeperOrder};

/// The first delay before another attempt to bind the path; each failure doubles it, up to `MAX_RETRY`.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const MAX_RETRY: Duration = Duration::from_secs(60);

/// A handle that stops listening: the manager closes it when the daemon shuts down.
pub(crate) struct ListenerHandle {
    path: PathBuf,
    _open: oneshot::Sender<()>,
}

impl ListenerHandle {
    /// Returns a handle for the socket at this path, and a receiver that resolves when it is closed.
    pub(crate) fn new(path: PathBuf) -> (Self, oneshot::Receiver<()>) {
        let (open, closed) = oneshot::channel();
        (Self { path, _open: open }, closed)
    }

    /// Stops listening and removes the socket, so that the next command starts another daemon.
    pub(crate) fn close(self) {
        let _ = fs::remove_file(self.path);
    }
}

/// Accepts clients until the handle is closed.
pub(crate) async fn listen(
    path: PathBuf,
    listener: OwnedFd,
    closed: oneshot::Receiver<()>,
    context: ServerContext,
    keeper: KeeperHandle,
) {
    let mut guard = SocketGuard::new(path, context, keeper);
    if let Err(why) = guard.accept_on(UnixListener::from(listener)) {
        return tracing::error!("Cannot accept clients: {why}");
    }
    tokio::select! {
        _ = closed => {}
        () = guard.watch() => {}
    }
}

/// Guards the socket's file: notices when it is gone, and binds the path again.
struct SocketGuard {
    path: PathBuf,
    context: ServerContext,
    keeper: KeeperHandle,
    connections: ConnectionTable,
    /// Device and inode of our own socket file.
    inode: Option<(u64, u64)>,
    accept_task: Option<JoinHandle<()>>,
}

impl SocketGuard {
    fn new(path: PathBuf, context: ServerContext, keeper: KeeperHandle) -> Self {
        let connections = ConnectionTable::default();
        Self { inode: inode(&path), path, context, keeper, connections, accept_task: None }
    }

    fn accept_on(&mut self, listener: UnixListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::UnixListener::from_std(listener)?;
        let accept = client::accept(listener, self.connections.clone(), self.context.clone());
        if let Some(before) = self.accept_task.replace(tokio::task::spawn_local(accept)) {
            before.abort();
        }
        Ok(())
    }

    /// Sleeps until something changes in the socket's directory. It polls only while the file is not ours.
    async fn watch(&mut self) {
        let mut pause = FIRST_RETRY;
        loop {
            // The watch is set before the file is checked, so that no removal is missed in between.
            let directory = self.path.parent().and_then(|path| DirectoryWatch::new(path).ok());
            if self.is_ours() {
                pause = FIRST_RETRY;
                match directory {
                    Some(directory) => directory.changed().await,
                    None => tokio::time::sleep(MAX_RETRY).await,
                }
            } else if !self.try_restore(pause == FIRST_RETRY).await {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_RETRY);
            }
        }
    }

    /// Restores the socket and returns whether that worked; a failure is logged only the first time.
    async fn try_restore(&mut self, log_failure: bool) -> bool {
        let done = self.restore().await;
        match &done {
            Ok(()) => tracing::warn!("The socket {} was removed; created it again", self.path.display()),
            Err(why) if log_failure => {
                tracing::error!(
                    "The socket {} was removed and cannot be created again: {why}",
                    self.path.display()
                );
            }
            Err(_) => {}
        }
        done.is_ok()
    }

    fn is_ours(&self) -> bool {
        self.inode.is_some() && inode(&self.path) == self.inode
    }

    /// Binds the path again, unless another daemon listens there. The keeper holds the new socket for the next daemon.
    async fn restore(&mut self) -> io::Result<()> {
        let directory = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new().mode(0o700).recursive(true).create(directory)?;
        let _lock = StartLock::try_acquire(&self.path)?;
        let listener = bind(&self.path).await?;
        self.inode = inode(&self.path);
        let copy = listener.as_fd().try_clone_to_owned()?;
        self.accept_on(listener)?;
        let sent = self.keeper.send(KeeperOrder::Listen { listener: copy });
        sent.map_err(|_| io::Error::other("the keeper does not respond"))
    }
}

async fn bind(path: &Path) -> io::Result<UnixListener> {
    // connect() blocks when the backlog is full, so a timeout means that another daemon listens, too.
    let tried = tokio::time::timeout(FIRST_RETRY, tokio::net::UnixStream::connect(path)).await;
    if !matches!(tried, Ok(Err(_))) {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another daemon is listening there"));
    }
    let _ = fs::remove_file(path);
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// An inotify watch on the socket's directory.
struct DirectoryWatch(OwnedFd);

impl DirectoryWatch {
    fn new(directory: &Path) -> io::Result<Self> {
        let inotify = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let files = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let own = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR;
        add_watch(&inotify, directory, files | own)?;
        Ok(Self(inotify))
    }

    /// Waits until a file in the directory, or the directory itself, is removed or moved.
    async fn changed(self) {
        let Ok(watched) = crate::fd_readiness::watch(self.0.as_fd(), Interest::READABLE) else { return };
        let _ = watched.readable().await;
        let mut buffer = [MaybeUninit::uninit(); 4_096];
        let _ = Reader::new(self.0, &mut buffer).next();
    }
}
