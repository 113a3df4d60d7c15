//! The paths of the journal's files, and setting damaged ones aside for a person to examine.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Damaged files of each kind that are kept: enough to compare, and few, since each may be as large as the journal.
const KEPT_FILES: usize = 3;

/// The first bytes of every SQLite database.
const DATABASE_MARK: &[u8; 16] = b"SQLite format 3\0";

/// The files that belong to a database: itself, its write-ahead log, and the log's index.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

/// The paths of the journal's files.
pub(super) struct JournalPaths {
    directory: PathBuf,
    pub(super) database: PathBuf,
    pub(super) copy: PathBuf,
    pub(super) witness: PathBuf,
}

impl JournalPaths {
    pub(super) fn new(directory: &Path) -> Self {
        let file = |name: &str| directory.join(name);
        let [database, copy, witness] = ["journal.db", "journal.copy", "journal.witness"].map(file);
        Self { directory: directory.to_owned(), database, copy, witness }
    }

    /// The database that is being rebuilt.
    pub(super) fn new_database(&self) -> PathBuf {
        self.directory.join("journal.db.new")
    }

    /// Removes what a daemon left that was killed while it rebuilt a file.
    pub(super) fn remove_unfinished(&self) {
        for part in [self.new_database(), self.copy.with_extension("copy.new")] {
            PARTS.iter().for_each(|suffix| drop(fs::remove_file(with_suffix(&part, suffix))));
        }
    }

    /// Undoes an exchange of the names of the database and its copy. Returns whether they were exchanged.
    pub(super) fn undo_exchange(&self) -> bool {
        let begins_as_database = |path: &Path| {
            let mut bytes = [0; DATABASE_MARK.len()];
            fs::File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).is_ok()
                && bytes == *DATABASE_MARK
        };
        if begins_as_database(&self.database) || !begins_as_database(&self.copy) {
            return false;
        }
        let parked = self.directory.join("journal.exchanged");
        fs::rename(&self.copy, &parked).is_ok()
            && fs::rename(&self.database, &self.copy).is_ok()
            && fs::rename(&parked, &self.database).is_ok()
    }

    /// Puts the rebuilt database in the place of the old one.
    pub(super) fn install_database(&self) -> Result<(), String> {
        fs::rename(self.new_database(), &self.database)
            .map_err(|why| format!("cannot rename {}: {why}", self.new_database().display()))
    }

    /// Renames a damaged file, with the files that belong to it. Returns its new path; `None` if there is no file.
    pub(super) fn set_aside(&self, path: &Path) -> Result<Option<PathBuf>, String> {
        let kept = unused_name(path);
        let mut is_kept = false;
        for part in PARTS {
            match fs::rename(with_suffix(path, part), with_suffix(&kept, part)) {
                Ok(()) => is_kept = true,
                Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                Err(why) => return Err(format!("cannot move {} aside: {why}", path.display())),
            }
        }
        self.remove_oldest(path);
        Ok(is_kept.then_some(kept))
    }

    /// Removes all but the newest damaged files of a kind.
    fn remove_oldest(&self, path: &Path) {
        let prefix = format!("{}.damaged-", file_name(path));
        let names = fs::read_dir(&self.directory).into_iter().flatten();
        let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_kept =
            |name: &String| name.starts_with(&prefix) && !PARTS[1..].iter().any(|part| name.ends_with(part));
        let mut names: Vec<_> = names.filter(is_kept).collect();
        names.sort_unstable_by(|one, other| other.cmp(one));
        for name in names.iter().skip(KEPT_FILES) {
            let file = self.directory.join(name);
            PARTS.iter().for_each(|part| drop(fs::remove_file(with_suffix(&file, part))));
        }
    }

    pub(super) fn remove_witness(&self) {
        let _ = fs::remove_file(&self.witness);
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns a name beside the file, with the time, that sorts after those that exist.
fn unused_name(path: &Path) -> PathBuf {
    let dated = format!("{}.damaged-{}", path.display(), chrono::Utc::now().format("%Y-%m-%dT%H-%M-%S"));
    let later = (2..=99).map(|number| format!("{dated}.{number:02}"));
    let names: Vec<_> = std::iter::once(dated.clone()).chain(later).collect();
    let exists = |name: &String| PARTS.iter().any(|part| Path::new(&format!("{name}{part}")).exists());
    let next = names.iter().rposition(exists).map_or(0, |last| last + 1);
    names.get(next).unwrap_or(&dated).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_damaged_files_are_kept_under_names_of_their_own() {
        let directory = tempfile::tempdir().expect("a directory");
        let paths = JournalPaths::new(directory.path());
        let mut kept = Vec::new();
        for number in 0..5 {
            fs::write(&paths.database, number.to_string()).expect("written");
            fs::write(with_suffix(&paths.database, "-wal"), "wal").expect("written");
            kept.extend(paths.set_aside(&paths.database).expect("renamed"));
        }
        let left: Vec<_> = kept.iter().filter(|path| path.exists()).collect();
        assert_eq!(left.len(), KEPT_FILES, "{kept:?}");
        assert_eq!(fs::read_to_string(&kept[4]).expect("the newest"), "4");
        assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 2 * KEPT_FILES);
    }
}
