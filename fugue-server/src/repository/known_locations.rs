//! The locations of directories that git was asked about, and how long they are used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fugue_protocol::worktree::GitLocation;

use super::git::GitAnswer;

/// How long an answer is used: a new branch or repository is noticed after this time.
pub(crate) const FRESH: Duration = Duration::from_secs(2);

/// How long a directory in which git hung is not asked about again: each time takes as long as a lookup may.
const HUNG: Duration = Duration::from_secs(60);

/// Directories whose location is remembered. More are rarely in use, and all are looked up again soon.
const MAX_KNOWN: usize = 1_024;

/// The known locations by directory.
#[derive(Default)]
pub(super) struct KnownLocations(BTreeMap<PathBuf, KnownLocation>);

struct KnownLocation {
    location: Option<GitLocation>,
    stale_at: Instant,
}

impl KnownLocations {
    /// Returns what was last known about a directory; `None` if it was never looked up.
    pub(super) fn get(&self, directory: &Path) -> Option<&Option<GitLocation>> {
        self.0.get(directory).map(|known| &known.location)
    }

    /// Whether git is to be asked about a directory.
    pub(super) fn is_stale(&self, directory: &Path, now: Instant) -> bool {
        self.0.get(directory).is_none_or(|known| known.stale_at < now)
    }

    /// Forgets everything if this many more directories might be too many.
    pub(super) fn make_room(&mut self, more: usize) {
        if self.0.len() + more > MAX_KNOWN {
            self.0.clear();
        }
    }

    /// Remembers an answer. If git hung, the directory counts as outside any repository for a while.
    pub(super) fn insert(&mut self, directory: PathBuf, answer: GitAnswer, now: Instant) {
        let known = match answer {
            GitAnswer::Location(location) => KnownLocation { location, stale_at: now + FRESH },
            GitAnswer::None => KnownLocation { location: None, stale_at: now + HUNG },
        };
        self.0.insert(directory, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_in_which_git_hung_is_not_asked_about_again_soon() {
        let (mut known, now) = (KnownLocations::default(), Instant::now());
        assert!(known.is_stale(Path::new("/a"), now), "nothing is known yet");
        known.insert("/a".into(), GitAnswer::Location(None), now);
        known.insert("/hung".into(), GitAnswer::None, now);
        let later = now + Duration::from_secs(30);
        assert!(known.is_stale(Path::new("/a"), later));
        assert!(!known.is_stale(Path::new("/hung"), later));
        assert!(known.is_stale(Path::new("/hung"), later + Duration::from_secs(31)));
    }
}
