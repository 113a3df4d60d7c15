//! How many dropped lines are remembered: each is a process of its own. A slot is a locked file, so that it is free again
//! when the process ends, however it ends.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// The most dropped lines that a daemon's proxies remember: more than the clients that one person has, several times
/// over. Beyond that, a client that comes back asks its user to check the last keys.
const MAX_DROPPED: usize = 64;

/// Takes a slot of the daemon with this state directory; none if all are taken. It is free again when the file and its
/// copies are closed.
pub(super) fn take_slot(state: &Path) -> Option<File> {
    let directory = state.join("dropped-lines");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory).ok()?;
    (0..MAX_DROPPED).find_map(|number| {
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).mode(0o600);
        let file = file.open(directory.join(number.to_string())).ok()?;
        file.try_lock().ok().map(|()| file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_dropped_lines_are_remembered() {
        let state = tempfile::tempdir().expect("a directory");
        let mut slots: Vec<_> = (0..MAX_DROPPED).filter_map(|_| take_slot(state.path())).collect();
        assert_eq!(slots.len(), MAX_DROPPED);
        assert!(take_slot(state.path()).is_none());
        slots.pop();
        assert!(take_slot(state.path()).is_some());
    }
}
