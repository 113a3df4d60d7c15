//! Notices that the file has changed. Its directory is watched, since most editors replace a file instead of writing
//! into it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

/// A watch on the file. Without inotify it never reports a change.
#[derive(Debug)]
pub struct ConfigWatch {
    path: PathBuf,
    inotify: Option<OwnedFd>,
}

impl ConfigWatch {
    /// Starts to watch a file, which need not exist.
    pub fn new(path: &Path) -> Self {
        let inotify = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        let watch = Self { path: path.to_owned(), inotify };
        watch.add();
        watch
    }

    /// The descriptor that is readable when the file may have changed.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().map(AsFd::as_fd)
    }

    /// Discards the reported changes, and watches directories that have appeared since.
    pub fn clear(&self) {
        let mut events = [0; 4096];
        if let Some(inotify) = &self.inotify {
            while matches!(rustix::io::read(inotify, &mut events), Ok(1..)) {}
        }
        self.add();
    }

    /// Watches the file's directory and, if the file is a symbolic link, that of the file it points to.
    fn add(&self) {
        let Some(inotify) = &self.inotify else { return };
        watch_directory(inotify, &self.path);
        if let Ok(target) = self.path.canonicalize()
            && target != self.path
        {
            watch_directory(inotify, &target);
        }
    }
}

/// Watches the directory of a file; if it does not exist, the nearest one in which it will be created. A directory that
/// appears before that one is watched is not reported, so it is looked for again, at most once for each level.
fn watch_directory(inotify: &OwnedFd, file: &Path) {
    for _ in file.ancestors() {
        let watched = watch_nearest(inotify, file);
        let missing = file.ancestors().skip(1).take_while(|directory| Some(*directory) != watched).last();
        if !missing.is_some_and(Path::exists) {
            break;
        }
    }
}

/// Watches the nearest directory of a file that exists, and returns it.
fn watch_nearest<'a>(inotify: &OwnedFd, file: &'a Path) -> Option<&'a Path> {
    let created = WatchFlags::MOVED_TO | WatchFlags::CREATE;
    let mut events = created | WatchFlags::CLOSE_WRITE | WatchFlags::DELETE;
    file.ancestors().skip(1).find(|directory| {
        let is_watched = add_watch(inotify, *directory, events).is_ok();
        events = created;
        is_watched
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};

    fn has_changed(watch: &ConfigWatch) -> bool {
        let fd = watch.fd().expect("inotify");
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        poll(&mut fds, Some(&Default::default())).expect("poll") == 1
    }

    #[test]
    fn a_written_replaced_or_newly_created_file_is_noticed() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("fugue/config.toml");
        let watch = ConfigWatch::new(&path);
        assert!(!has_changed(&watch));
        std::fs::create_dir(home.path().join("fugue")).expect("the directory");
        assert!(has_changed(&watch), "the directory was created");
        watch.clear();
        std::fs::write(&path, "").expect("the file");
        assert!(has_changed(&watch), "the file was written");
        watch.clear();
        std::fs::write(home.path().join("new"), "").expect("another file");
        watch.clear();
        std::fs::rename(home.path().join("new"), &path).expect("replaced");
        assert!(has_changed(&watch), "the file was replaced");
    }

    #[test]
    fn a_file_whose_directories_are_created_meanwhile_is_noticed() {
        let home = tempfile::tempdir().expect("a directory");
        for number in 0..200 {
            let path = home.path().join(format!("{number}/a/b/config.toml"));
            let watch = ConfigWatch::new(&path);
            let created = path.clone();
            let creates = std::thread::spawn(move || {
                std::fs::create_dir_all(created.parent().expect("a directory")).expect("the directories");
                std::fs::write(created, "").expect("the file");
            });
            // As the client does: it reads the file after each change.
            while !path.exists() {
                let fd = watch.fd().expect("inotify");
                let timeout = rustix::event::Timespec { tv_sec: 10, tv_nsec: 0 };
                let changes = poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)).expect("poll");
                assert_eq!(changes, 1, "file {number} was not noticed");
                watch.clear();
            }
            creates.join().expect("it is created");
        }
    }

    #[test]
    fn the_target_of_a_symbolic_link_is_watched_too() {
        let home = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(home.path().join("dotfiles")).expect("a directory");
        let (path, target) = (home.path().join("config.toml"), home.path().join("dotfiles/fugue.toml"));
        std::fs::write(&target, "").expect("the file");
        std::os::unix::fs::symlink(&target, &path).expect("the link");
        let watch = ConfigWatch::new(&path);
        std::fs::write(&target, "bell = true").expect("the file");
        assert!(has_changed(&watch));
    }
}
