//! What setup changed, kept so that it can be undone byte for byte: for each file, its text before and after.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_config::named_by_path;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::file_replacement::overwrite;

/// The version of the records that this fugue writes. Those without a version have the same fields.
const VERSION: u32 = 1;

/// The change that setup made to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default)]
    version: u32,
    /// The text before; `None` if there was no file.
    pub(super) before: Option<String>,
    /// The text after.
    pub(super) after: String,
    /// The directories that were created for it, the innermost first.
    pub(super) created: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct RecordVersion {
    #[serde(default)]
    version: u32,
}

impl Record {
    pub(super) fn new(before: Option<String>, after: String, created: Vec<PathBuf>) -> Self {
        Self { version: VERSION, before, after, created }
    }
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

    /// Returns the record of a file. One that cannot be read is an error: setup must neither undo nor replace what it does
    /// not know.
    pub(super) fn get(&self, file: &Path) -> Result<Option<Record>, String> {
        let path = self.path(file);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(format!("Cannot read {}: {why}", path.display())),
        };
        let unusable = |why: String| {
            let (path, file) = (path.display(), file.display());
            format!(
                "Cannot use {path}, which records what setup added to {file}: {why}\nhint: remove it; `fugue setup --undo` then leaves that file alone"
            )
        };
        let version: RecordVersion =
            serde_json::from_slice(&bytes).map_err(|why| unusable(why.to_string()))?;
        if version.version > VERSION {
            return Err(unusable("a newer version of fugue wrote it".into()));
        }
        serde_json::from_slice(&bytes).map(Some).map_err(|why| unusable(why.to_string()))
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
