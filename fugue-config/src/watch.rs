//! Notices that files have changed. The directories and links that lead to them are watched, since most editors replace a
//! file instead of writing into it.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
use rustix::io::Errno;

use crate::watched_places::{FileChange, WatchedPlaces, is_on_the_way};

/// How often files that cannot be watched are looked at. A changed scope must not take effect much later than it is
/// written, and a look takes some ten microseconds.
pub const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// How often the watches are set again if the places change meanwhile.
const MOST_ROUNDS: usize = 16;

/// A watch on up to 32 files with one inotify instance: a user has only 128 of them, which all programs share.
#[derive(Debug)]
pub struct FileWatch {
    files: Vec<(PathBuf, FileChange)>,
    inotify: Option<OwnedFd>,
    /// The files that each watch concerns, one bit each.
    watches: BTreeMap<i32, u32>,
    problem: Option<String>,
}

impl FileWatch {
    /// Starts to watch files, which need not exist.
    pub fn new(files: impl IntoIterator<Item = (PathBuf, FileChange)>) -> Self {
        let files = files.into_iter().take(32).collect();
        let mut watch = Self { files, inotify: None, watches: BTreeMap::new(), problem: None };
        watch.set();
        watch
    }

    /// Starts to watch the content of one file.
    pub fn of_content(file: &Path) -> Self {
        Self::new([(file.to_owned(), FileChange::Content)])
    }

    /// The descriptor that is readable when a file may have changed; nothing without inotify.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().map(AsFd::as_fd)
    }

    /// The reason why changes may go unnoticed, if they may: the files are then to be looked at every [`POLL_INTERVAL`].
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Returns the files that may have changed since the last call, as bits in the order in which they were given, and
    /// watches the directories and links that lead to them now.
    pub fn take_changes(&mut self) -> u32 {
        let noticed = self.take_events();
        self.set();
        if self.problem.is_some() { self.all() } else { noticed }
    }

    fn all(&self) -> u32 {
        (0..self.files.len()).fold(0, |bits, number| bits | 1 << number)
    }

    fn take_events(&self) -> u32 {
        let Some(inotify) = &self.inotify else { return 0 };
        let mut buffer = [MaybeUninit::uninit(); 4_096];
        let mut reader = Reader::new(inotify, &mut buffer);
        let mut bits = 0;
        while let Ok(event) = reader.next() {
            bits |= match self.watches.get(&event.wd()) {
                _ if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => self.all(),
                Some(files) => *files,
                None => 0,
            };
        }
        bits
    }

    /// Watches the places that lead to the files now, and no others. Places that change while the watches are set are
    /// looked at again: nothing would report what happened before.
    fn set(&mut self) {
        self.problem = self.try_set().err();
    }

    fn try_set(&mut self) -> Result<(), String> {
        if self.inotify.is_none() {
            let inotify = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map_err(described)?;
            self.inotify = Some(inotify);
        }
        for _ in 0..MOST_ROUNDS {
            let places = self.places();
            self.watch_places(&places)?;
            if self.places() == places {
                return Ok(());
            }
        }
        Err("the directories change all the time".into())
    }

    fn places(&self) -> WatchedPlaces {
        let mut places = WatchedPlaces::default();
        for (number, (file, change)) in self.files.iter().enumerate() {
            places.add(file, *change, 1 << number);
        }
        places
    }

    fn watch_places(&mut self, places: &WatchedPlaces) -> Result<(), String> {
        let Some(inotify) = &self.inotify else { return Ok(()) };
        let mut watches = BTreeMap::<i32, u32>::new();
        let mut failed = Ok(());
        for (place, (events, bits)) in &places.0 {
            match watch_place(inotify, place, *events, &watches) {
                Ok(Some(watch)) => *watches.entry(watch).or_default() |= bits,
                Ok(None) => {}
                Err(why) => failed = Err(format!("{}: {}", place.display(), described(why))),
            }
        }
        for former in self.watches.keys().filter(|former| !watches.contains_key(former)) {
            let _ = remove_watch(inotify, *former);
        }
        self.watches = watches;
        failed
    }
}

/// Watches a place; nothing if there is none any more, or if it need not be watched. A directory that the user may not
/// read belongs to someone else, who alone can replace it.
fn watch_place(
    inotify: &OwnedFd,
    place: &Path,
    events: WatchFlags,
    watches: &BTreeMap<i32, u32>,
) -> Result<Option<i32>, Errno> {
    let watch = match add_watch(inotify, place, events) {
        Ok(watch) => watch,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(Errno::ACCESS) if is_on_the_way(events) => return Ok(None),
        Err(why) => return Err(why),
    };
    // The same directory under another path: it is watched for what either needs.
    if watches.contains_key(&watch) {
        add_watch(inotify, place, events | WatchFlags::MASK_ADD)?;
    }
    Ok(Some(watch))
}

fn described(why: Errno) -> String {
    match why {
        Errno::MFILE => "all inotify instances of the user are in use (fs.inotify.max_user_instances)".into(),
        Errno::NOSPC => "all inotify watches of the user are in use (fs.inotify.max_user_watches)".into(),
        why => format!("inotify failed: {}", std::io::Error::from(why).kind()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};
    use std::fs;
    use std::os::unix::fs::symlink;

    fn has_changed(watch: &FileWatch) -> bool {
        let fd = watch.fd().expect("inotify");
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        poll(&mut fds, Some(&Default::default())).expect("poll") == 1
    }

    /// Whether a change of a file was noticed. What setting the watches reports of itself is taken, too.
    fn notices(watch: &mut FileWatch) -> bool {
        let noticed = watch.take_changes() != 0;
        watch.take_changes();
        assert!(!has_changed(watch), "setting watches must not be a change");
        noticed
    }

    #[test]
    fn a_written_replaced_or_newly_created_file_is_noticed() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("fugue/config.toml");
        let mut watch = FileWatch::of_content(&path);
        assert!(!has_changed(&watch));
        fs::create_dir(home.path().join("fugue")).expect("the directory");
        assert!(notices(&mut watch), "the directory was created");
        fs::write(&path, "").expect("the file");
        assert!(notices(&mut watch), "the file was written");
        fs::write(home.path().join("new"), "").expect("another file");
        watch.take_changes();
        fs::rename(home.path().join("new"), &path).expect("replaced");
        assert!(notices(&mut watch), "the file was replaced");
        fs::rename(&path, home.path().join("old")).expect("moved");
        assert!(notices(&mut watch), "the file was moved away");
    }

    #[test]
    fn a_file_whose_directories_are_created_meanwhile_is_noticed() {
        let home = tempfile::tempdir().expect("a directory");
        for number in 0..200 {
            let path = home.path().join(format!("{number}/a/b/config.toml"));
            let mut watch = FileWatch::of_content(&path);
            let created = path.clone();
            let creates = std::thread::spawn(move || {
                fs::create_dir_all(created.parent().expect("a directory")).expect("the directories");
                fs::write(created, "").expect("the file");
            });
            // As the client does: it reads the file after each change.
            while !path.exists() {
                let fd = watch.fd().expect("inotify");
                let timeout = rustix::event::Timespec { tv_sec: 10, tv_nsec: 0 };
                let changes = poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)).expect("poll");
                assert_eq!(changes, 1, "file {number} was not noticed");
                watch.take_changes();
            }
            creates.join().expect("it is created");
        }
    }

    #[test]
    fn the_target_of_a_symbolic_link_is_watched_too() {
        let home = tempfile::tempdir().expect("a directory");
        fs::create_dir(home.path().join("dotfiles")).expect("a directory");
        let (path, target) = (home.path().join("config.toml"), home.path().join("dotfiles/fugue.toml"));
        fs::write(&target, "").expect("the file");
        symlink(&target, &path).expect("the link");
        let watch = FileWatch::of_content(&path);
        fs::write(&target, "bell = true").expect("the file");
        assert!(has_changed(&watch));
    }

    #[test]
    fn a_replaced_directory_is_noticed_and_so_is_the_file_in_the_new_one() {
        let home = tempfile::tempdir().expect("a directory");
        let config = home.path().join("config");
        let path = config.join("fugue/config.toml");
        fs::create_dir_all(config.join("fugue")).expect("the directory");
        fs::write(&path, "").expect("the file");
        let mut watch = FileWatch::of_content(&path);
        for (number, moved) in [config.join("fugue"), config].iter().enumerate() {
            fs::rename(moved, home.path().join(format!("old{number}"))).expect("moved");
            assert!(notices(&mut watch), "{} was moved", moved.display());
            fs::create_dir_all(path.parent().expect("a directory")).expect("the directory");
            assert!(notices(&mut watch), "{} was created", moved.display());
            fs::write(&path, "").expect("the file");
            assert!(notices(&mut watch), "the file in the new {} was written", moved.display());
        }
        let watched = watch.watches.len();
        assert!(watched <= path.ancestors().count(), "{watched} watches: former directories are watched");
    }

    #[test]
    fn a_link_on_the_way_that_is_switched_is_noticed() {
        let home = tempfile::tempdir().expect("a directory");
        let at = |name: &str| home.path().join(name);
        for version in ["1", "2", "3"] {
            fs::create_dir_all(at(version).join("fugue")).expect("a directory");
            fs::write(at(version).join("fugue/config.toml"), version).expect("the file");
        }
        symlink("1", at("config")).expect("the link");
        let path = at("config/fugue/config.toml");
        let mut watch = FileWatch::of_content(&path);
        symlink("2", at("new")).expect("a link");
        watch.take_changes();
        fs::rename(at("new"), at("config")).expect("switched");
        assert!(notices(&mut watch), "another link took its place");
        fs::write(at("2/fugue/config.toml"), "").expect("the file");
        assert!(notices(&mut watch), "the file that the new link leads to was written");
        fs::remove_file(at("config")).expect("removed");
        assert!(notices(&mut watch), "the link was removed");
        symlink("3", at("config")).expect("the link");
        assert!(notices(&mut watch), "the link was made again");
    }

    #[test]
    fn one_instance_tells_which_of_several_files_has_changed() {
        let home = tempfile::tempdir().expect("a directory");
        let at = |name: &str| home.path().join(name);
        ["config", "run"].into_iter().for_each(|name| fs::create_dir(at(name)).expect("a directory"));
        fs::write(at("run/socket"), "").expect("the file");
        let (content, removal) = (FileChange::Content, FileChange::Removal);
        let mut watch = FileWatch::new([(at("config/a.toml"), content), (at("run/socket"), removal)]);
        assert_eq!((watch.take_changes(), watch.problem()), (0, None));
        fs::write(at("config/a.toml"), "").expect("the file");
        assert_eq!(watch.take_changes(), 0b01);
        fs::write(at("run/other"), "").expect("a file");
        assert_eq!(watch.take_changes(), 0, "a new file beside the socket");
        fs::remove_file(at("run/socket")).expect("removed");
        assert_eq!(watch.take_changes(), 0b10);
        fs::rename(at("run"), at("former")).expect("moved");
        assert_eq!(watch.take_changes(), 0b10);
    }
}
