//! Watching the file: the folder is watched, since editors put a new file in the old one's place.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

/// An eye on the file.
pub(crate) struct Watch {
    path: PathBuf,
    inotify: Option<OwnedFd>,
}

impl Watch {
    pub(crate) fn new(path: &Path) -> Self {
        let inotify = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        let watch = Self { path: path.to_owned(), inotify };
        watch.look();
        watch
    }

    /// Watches the file's folder; while there is none, the nearest one in which it will be made.
    fn look(&self) {
        let Some(inotify) = &self.inotify else { return };
        let made = WatchFlags::MOVED_TO | WatchFlags::CREATE;
        let mut what = made | WatchFlags::CLOSE_WRITE | WatchFlags::DELETE;
        for folder in self.path.ancestors().skip(1) {
            if add_watch(inotify, folder, what).is_ok() {
                break;
            }
            what = made;
        }
    }

    /// Something happened in the folder: the file may be another.
    pub(crate) fn take(&self) {
        let mut events = [0; 4096];
        if let Some(inotify) = &self.inotify {
            while matches!(rustix::io::read(inotify, &mut events), Ok(1..)) {}
        }
        self.look();
    }

    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().map(AsFd::as_fd)
    }
}
