//! The way in: the file of the daemon's socket. A cleaner of temporary folders or a careless hand may remove it while
//! programs live; then the daemon listens there again, since a daemon that nobody can reach has lost them all.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fugue_keeper::StartLock;
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use tokio::io::Interest;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

use crate::client::{self, House};
use crate::keeper::{Keeper, Order};

/// While the place is taken or cannot be had, the next look comes after this, then ever later.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LAST_LOOK: Duration = Duration::from_secs(60);

/// What the manager closes when the daemon ends for good.
pub(crate) struct Way {
    path: PathBuf,
    _open: oneshot::Sender<()>,
}

impl Way {
    /// A way at this path, and what tells that it was closed.
    pub(crate) fn new(path: PathBuf) -> (Self, oneshot::Receiver<()>) {
        let (open, closed) = oneshot::channel();
        (Self { path, _open: open }, closed)
    }

    /// Nobody comes in any more; the next command starts another daemon.
    pub(crate) fn close(self) {
        let _ = fs::remove_file(self.path);
    }
}

/// Lets clients in, for as long as the way is not closed.
pub(crate) async fn keep_open(
    path: PathBuf,
    listener: OwnedFd,
    closed: oneshot::Receiver<()>,
    house: House,
    keeper: Keeper,
) {
    let mut guard = Guard::new(path, house, keeper);
    if let Err(why) = guard.let_in(UnixListener::from(listener)) {
        return tracing::error!("nobody can be let in: {why}");
    }
    tokio::select! {
        _ = closed => {}
        () = guard.watch() => {}
    }
}

struct Guard {
    path: PathBuf,
    house: House,
    keeper: Keeper,
    places: Arc<Semaphore>,
    /// Which file is ours.
    inode: Option<(u64, u64)>,
    accepting: Option<JoinHandle<()>>,
}

impl Guard {
    fn new(path: PathBuf, house: House, keeper: Keeper) -> Self {
        let places = Arc::new(Semaphore::new(client::CLIENTS));
        Self { inode: inode(&path), path, house, keeper, places, accepting: None }
    }

    fn let_in(&mut self, listener: UnixListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::UnixListener::from_std(listener)?;
        let accept = client::accept(listener, Arc::clone(&self.places), self.house.clone());
        if let Some(before) = self.accepting.replace(tokio::task::spawn_local(accept)) {
            before.abort();
        }
        Ok(())
    }

    /// Sleeps until something happens in the socket's folder; looks again by itself only while the file is not ours.
    async fn watch(&mut self) {
        let mut pause = FIRST_LOOK;
        loop {
            // Watched before it is looked at, so that no removal falls between.
            let folder = self.path.parent().and_then(|folder| Folder::watch(folder).ok());
            if self.is_there() {
                pause = FIRST_LOOK;
                match folder {
                    Some(folder) => folder.changed().await,
                    None => tokio::time::sleep(LAST_LOOK).await,
                }
            } else if !self.restored(pause == FIRST_LOOK).await {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LAST_LOOK);
            }
        }
    }

    async fn restored(&mut self, tell: bool) -> bool {
        let done = self.restore().await;
        match &done {
            Ok(()) => tracing::warn!("the socket {} was removed; it is there again", self.path.display()),
            Err(why) if tell => {
                tracing::error!(
                    "the socket {} was removed and cannot be made again: {why}",
                    self.path.display()
                );
            }
            Err(_) => {}
        }
        done.is_ok()
    }

    fn is_there(&self) -> bool {
        self.inode.is_some() && inode(&self.path) == self.inode
    }

    /// Listens at the path again, unless somebody else does; the keeper holds the new socket for the next daemon.
    async fn restore(&mut self) -> io::Result<()> {
        let folder = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
        let _lock = StartLock::try_acquire(&self.path)?;
        let listener = bind(&self.path).await?;
        self.inode = inode(&self.path);
        let copy = listener.as_fd().try_clone_to_owned()?;
        self.let_in(listener)?;
        let kept = self.keeper.order(Order::Listen { listener: copy });
        kept.map_err(|_| io::Error::other("the keeper does not follow"))
    }
}

async fn bind(path: &Path) -> io::Result<UnixListener> {
    // A full queue answers no sooner than never; then somebody listens, too.
    let tried = tokio::time::timeout(FIRST_LOOK, tokio::net::UnixStream::connect(path)).await;
    if !matches!(tried, Ok(Err(_))) {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another daemon listens there"));
    }
    let _ = fs::remove_file(path);
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// The socket's folder, watched.
struct Folder(OwnedFd);

impl Folder {
    fn watch(folder: &Path) -> io::Result<Self> {
        let inotify = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let kinds = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let own = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR;
        add_watch(&inotify, folder, kinds | own)?;
        Ok(Self(inotify))
    }

    /// Something was removed or moved, here or the folder itself.
    async fn changed(self) {
        let Ok(watched) = crate::ready::watch(self.0.as_fd(), Interest::READABLE) else { return };
        let _ = watched.readable().await;
        let mut room = [MaybeUninit::uninit(); 4_096];
        let _ = Reader::new(self.0, &mut room).next();
    }
}
