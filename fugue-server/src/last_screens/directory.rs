//! The directory of saved screens: one file for each pane, readable only by its user, and limited in sum.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fugue_protocol::PaneId;
use fugue_screen::Screen;

use super::SCREEN_BYTES;

/// The most bytes of all files: 256 panes with the longest screens. The oldest files are removed first.
const ALL_BYTES: u64 = 64 << 20;

/// The directory, and what is in it.
pub(super) struct ScreenDirectory {
    path: PathBuf,
    /// The size of each file, and its place in the order of writing.
    files: BTreeMap<PaneId, (u64, u64)>,
    last: u64,
    most: u64,
}

impl ScreenDirectory {
    /// Opens the directory in the state directory, which may not exist yet.
    pub(super) fn open(state: &Path) -> Self {
        let path = directory(state);
        let mut found: Vec<_> = fs::read_dir(&path).into_iter().flatten().filter_map(saved_file).collect();
        found.sort_by_key(|(_, _, written)| *written);
        let numbered = found.into_iter().zip(1..);
        let files: BTreeMap<_, _> =
            numbered.map(|((pane, size, _), number)| (pane, (size, number))).collect();
        Self { path, last: files.len() as u64, files, most: ALL_BYTES }
    }

    /// Saves a screen. The file is replaced as a whole: a crash leaves the previous one.
    pub(super) fn save(&mut self, pane: PaneId, snapshot: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        let bytes = encode(snapshot);
        let temporary = self.path.join(format!(".{pane}"));
        let written = write(&temporary, &bytes).and_then(|()| fs::rename(&temporary, self.file(pane)));
        if let Err(why) = written {
            let _ = fs::remove_file(&temporary);
            return Err(why);
        }
        self.last += 1;
        self.files.insert(pane, (bytes.len() as u64, self.last));
        self.enforce_limit();
        Ok(())
    }

    fn enforce_limit(&mut self) {
        while self.files.values().map(|(size, _)| size).sum::<u64>() > self.most {
            let oldest = self.files.iter().min_by_key(|(_, (_, number))| *number);
            let Some(oldest) = oldest.map(|(pane, _)| *pane) else { return };
            self.remove(oldest);
        }
    }

    pub(super) fn remove(&mut self, pane: PaneId) {
        if self.files.remove(&pane).is_some()
            && let Err(why) = fs::remove_file(self.file(pane))
        {
            tracing::warn!("Cannot remove the saved screen of pane {pane}: {why}");
        }
    }

    /// Removes every file but those of these panes, also what a crash left behind; without any, the directory itself.
    pub(super) fn retain(&mut self, panes: &BTreeSet<PaneId>) {
        let gone: Vec<_> = self.files.keys().filter(|pane| !panes.contains(pane)).copied().collect();
        gone.into_iter().for_each(|pane| self.remove(pane));
        for file in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if pane_of(&file).is_none_or(|pane| !self.files.contains_key(&pane)) {
                let _ = fs::remove_file(file.path());
            }
        }
        if self.files.is_empty() {
            let _ = fs::remove_dir(&self.path);
        }
    }

    fn file(&self, pane: PaneId) -> PathBuf {
        self.path.join(pane.to_string())
    }
}

fn directory(state: &Path) -> PathBuf {
    state.join("screens")
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    // Otherwise the new name may be on the disk before the content, and a crash of the machine leaves an empty file.
    file.sync_data()
}

/// The pane, the size and the time of a file in the directory.
fn saved_file(file: io::Result<fs::DirEntry>) -> Option<(PaneId, u64, SystemTime)> {
    let file = file.ok()?;
    let data = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some((pane_of(&file)?, data.len(), data.modified().ok()?))
}

fn pane_of(file: &fs::DirEntry) -> Option<PaneId> {
    file.file_name().to_str()?.parse().ok()
}

/// Reads the saved screen of a pane; none if there is no file, or if it is damaged or too long to be ours.
pub(crate) fn load(state: &Path, pane: PaneId) -> Option<Screen> {
    let path = directory(state).join(pane.to_string());
    let size = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
    let most = encode(&[]).len() + SCREEN_BYTES;
    let file = fs::read(&path).ok().filter(|_| size <= most as u64)?;
    let screen = decode(&file).and_then(|snapshot| Screen::restore(snapshot).ok());
    if screen.is_none() {
        tracing::warn!("Ignored the damaged saved screen of pane {pane}");
    }
    screen
}

/// The header, with the version of the format.
const HEADER: &[u8] = b"fugue-last-screen 1\n";

/// Encodes a snapshot.
fn encode(snapshot: &[u8]) -> Vec<u8> {
    [HEADER, &crc32fast::hash(snapshot).to_le_bytes(), snapshot].concat()
}

/// Returns the snapshot in a file; none if the file is damaged.
fn decode(file: &[u8]) -> Option<&[u8]> {
    let (checksum, snapshot) = file.strip_prefix(HEADER)?.split_first_chunk::<4>()?;
    (crc32fast::hash(snapshot) == u32::from_le_bytes(*checksum)).then_some(snapshot)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    fn names(state: &Path) -> usize {
        fs::read_dir(directory(state)).map_or(0, Iterator::count)
    }

    #[test]
    fn when_the_files_take_too_much_room_the_oldest_are_removed() {
        let state = tempfile::tempdir().expect("a directory");
        let size = encode(&[0; 100]).len() as u64;
        let mut files = ScreenDirectory { most: 3 * size, ..ScreenDirectory::open(state.path()) };
        for number in 1..=3 {
            files.save(pane(number), &[0; 100]).expect("saved");
        }
        assert_eq!(names(state.path()), 3, "exactly the limit");
        files.save(pane(1), &[1; 100]).expect("saved");
        files.save(pane(4), &[0; 100]).expect("saved");
        assert_eq!(files.files.keys().copied().collect::<Vec<_>>(), [pane(1), pane(3), pane(4)]);
        assert_eq!(names(state.path()), 3);
        let again = ScreenDirectory::open(state.path());
        assert_eq!(again.files.keys().copied().collect::<Vec<_>>(), [pane(1), pane(3), pane(4)]);
    }

    #[test]
    fn files_are_private_and_those_of_other_panes_are_removed() {
        let state = tempfile::tempdir().expect("a directory");
        let mut files = ScreenDirectory::open(state.path());
        files.save(pane(1), b"one").expect("saved");
        files.save(pane(2), b"two").expect("saved");
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!(mode(&directory(state.path())), 0o700);
        assert_eq!(mode(&files.file(pane(1))), 0o600);
        fs::write(directory(state.path()).join(".torn"), "left by a crash").expect("written");
        files.retain(&BTreeSet::from([pane(2)]));
        assert_eq!(names(state.path()), 1);
        files.retain(&BTreeSet::new());
        assert!(!directory(state.path()).exists());
    }

    #[test]
    fn any_damage_is_noticed() {
        let good = encode(b"a screen");
        assert_eq!(decode(&good), Some(&b"a screen"[..]));
        for at in 0..good.len() {
            let mut flipped = good.clone();
            flipped[at] ^= 1;
            assert_eq!(decode(&flipped), None, "byte {at}");
            assert_eq!(decode(&good[..at]), None, "cut at {at}");
        }
    }
}
