//! What setup changed, kept so that it can be undone byte for byte: for each file, its text before and after.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_config::named_by_path;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::file_replacement::overwrite;

/// The change that setup made to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The text before; `None` if there was no file.
    pub(super) before: Option<String>,
    /// The text after.
    pub(super) after: String,
    /// The directories that were created for it, the innermost first.
    pub(super) created: Vec<PathBuf>,
}

/// The records of all files. They contain settings of the user, so only the user may read them.
#[derive(Debug, Clone)]
pub(super) struct Records {
    directory: PathBuf,
}

impl Records {
    pub(super) fn in_directory(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Waits until no other setup is running, and keeps others waiting until the file is dropped: what one reads, another
    /// must not change before it is written.
    pub(super) fn lock(&self) -> Result<fs::File, String> {
        let path = self.directory.join(".lock");
        let lock = || -> std::io::Result<fs::File> {
            self.create()?;
            let mut options = fs::OpenOptions::new();
            let file = options.write(true).create(true).truncate(false).mode(0o600).open(&path)?;
            flock(&file, FlockOperation::LockExclusive)?;
            Ok(file)
        };
        lock().map_err(|why| format!("Cannot lock {}: {why}", path.display()))
    }

    fn create(&self) -> std::io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)
    }

    fn path(&self, file: &Path) -> PathBuf {
        named_by_path(self.directory.clone(), file)
    }

    /// Returns the record of a file; a damaged one counts as none.
    pub(super) fn get(&self, file: &Path) -> Option<Record> {
        serde_json::from_slice(&fs::read(self.path(file)).ok()?).ok()
    }

    pub(super) fn put(&self, file: &Path, record: &Record) -> Result<(), String> {
        let path = self.path(file);
        let write = || -> std::io::Result<()> {
            self.create()?;
            overwrite(&path, &serde_json::to_string(record)?)
        };
        write().map_err(|why| format!("Cannot write {}: {why}", path.display()))
    }

    pub(super) fn remove(&self, file: &Path) {
        let _ = fs::remove_file(self.path(file));
    }
}
