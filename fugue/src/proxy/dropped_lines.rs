//! How many dropped lines are remembered: each is a process of its own. A slot is a locked file, so that it is free again
//! when the process ends, however it ends. Lines over which nothing was typed need no process: their keys are in a file.
//! The daemon removes the directory when it is shut down, which ends the processes.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_protocol::input_ledger::LedgerEntry;

use super::handover::LineKey;

/// The directory in the daemon's state directory.
const DIRECTORY: &str = "dropped-lines";

/// The most dropped lines that a daemon's proxies remember: more than the clients that one person has, several times
/// over. Beyond that, a client that comes back asks its user to check the last keys.
const MAX_DROPPED: usize = 64;

/// The file with the keys of dropped lines over which nothing was typed.
const UNUSED: &str = "unused";

/// The most of it that is kept, in bytes: the keys of about four hundred lines.
const UNUSED_BYTES: usize = 16 << 10;

/// Notes that nothing was typed over a line.
pub(super) fn note_unused(state: &Path, key: &LineKey) {
    let Some(directory) = directory(state) else { return };
    let path = directory.join(UNUSED);
    let mut keys = fs::read_to_string(&path).unwrap_or_default();
    keys.push_str(key.as_str());
    keys.push('\n');
    let excess = keys.len().saturating_sub(UNUSED_BYTES);
    let from = keys[excess..].find('\n').map_or(0, |end| if excess == 0 { 0 } else { excess + end + 1 });
    // A reader sees the old file or the new one. Of two writers at once one may lose its key: a client is then asked to
    // check what was typed last.
    let new = directory.join(format!("{UNUSED}.{}", std::process::id()));
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(true).write(true).mode(0o600).open(&new);
    let written = file.and_then(|mut file| file.write_all(&keys.as_bytes()[from..]));
    let _ = written.and_then(|()| fs::rename(&new, &path));
}

/// No keys, if nothing was typed over this line.
pub(super) fn was_unused(state: &Path, key: &LineKey) -> Option<Vec<LedgerEntry>> {
    let keys = fs::read_to_string(state.join(DIRECTORY).join(UNUSED)).ok()?;
    keys.lines().any(|line| line == key.as_str()).then(Vec::new)
}

fn directory(state: &Path) -> Option<PathBuf> {
    let directory = state.join(DIRECTORY);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory).ok()?;
    Some(directory)
}

/// Takes a slot of the daemon with this state directory; none if all are taken. It is free again when the file and its
/// copies are closed.
pub(super) fn take_slot(state: &Path) -> Option<File> {
    let directory = directory(state)?;
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
    fn lines_over_which_nothing_was_typed_are_known_and_the_file_does_not_grow() {
        let state = tempfile::tempdir().expect("a directory");
        let key = |number: usize| LineKey::parse(&format!("line-{number:032x}")).expect("a key");
        (0..1_000).for_each(|number| note_unused(state.path(), &key(number)));
        assert_eq!(was_unused(state.path(), &key(999)), Some(Vec::new()));
        assert_eq!(was_unused(state.path(), &key(0)), None, "the oldest are dropped");
        let file = state.path().join(DIRECTORY).join(UNUSED);
        assert!(fs::metadata(file).is_ok_and(|file| file.len() <= UNUSED_BYTES as u64));
    }

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
