//! The directories and symbolic links that lead to a file. Watching only the directory that holds the file would miss that
//! this directory is replaced, or that a link on the way is switched, as managers of dotfiles do.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use rustix::fs::inotify::WatchFlags;

/// The most steps on the way to a file: the names in its path and in the links on the way. The kernel follows 40 links.
const MOST_STEPS: usize = 512;

/// A directory or a link is itself moved or removed.
const REPLACED: WatchFlags = WatchFlags::MOVE_SELF.union(WatchFlags::DELETE_SELF);

/// A link is replaced: its last name is taken away before it is removed.
const SWITCHED: WatchFlags = REPLACED.union(WatchFlags::ATTRIB).union(WatchFlags::DONT_FOLLOW);

/// A name appears in a directory.
const CREATED: WatchFlags = WatchFlags::CREATE.union(WatchFlags::MOVED_TO);

/// The kind of change to a file that is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    /// The file may have other content: it was written, replaced, created or removed.
    Content,
    /// The file may be gone or be another one.
    Removal,
}

impl FileChange {
    /// The events of the directory that holds the file.
    fn events(self) -> WatchFlags {
        let moved = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        match self {
            Self::Content => moved | WatchFlags::CREATE | WatchFlags::CLOSE_WRITE,
            Self::Removal => moved,
        }
    }
}

/// The places to watch: the events of each, and the files, one bit each, that they concern.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchedPlaces(pub(crate) BTreeMap<PathBuf, (WatchFlags, u32)>);

impl WatchedPlaces {
    /// Adds the places on the way to a file, which need not exist.
    pub(crate) fn add(&mut self, file: &Path, change: FileChange, bit: u32) {
        let mut at = PathBuf::from("/");
        let mut ahead = names(&std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
        for _ in 0..MOST_STEPS {
            let Some(name) = ahead.pop() else { return };
            if name == ".." {
                at.pop();
                continue;
            }
            let next = at.join(name);
            let found = next.symlink_metadata();
            let events = match &found {
                _ if ahead.is_empty() => change.events(),
                Ok(_) => WatchFlags::empty(),
                Err(_) => CREATED,
            };
            self.insert(&at, events | REPLACED, bit);
            match found {
                Ok(found) if found.is_symlink() => {
                    self.insert(&next, SWITCHED, bit);
                    let Ok(target) = next.read_link() else { return };
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    ahead.extend(names(&target));
                }
                Ok(_) => at = next,
                Err(_) => return,
            }
        }
    }

    fn insert(&mut self, place: &Path, events: WatchFlags, bit: u32) {
        let (all, bits) = self.0.entry(place.to_owned()).or_insert((WatchFlags::empty(), 0));
        *all |= events;
        *bits |= bit;
    }
}

/// Whether the directory is only on the way: nothing but its own replacement is to be noticed.
pub(crate) fn is_on_the_way(events: WatchFlags) -> bool {
    events == REPLACED
}

/// The names in a path, the last one first.
fn names(path: &Path) -> Vec<OsString> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().rev().filter_map(name).collect()
}
