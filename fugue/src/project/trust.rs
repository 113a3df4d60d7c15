//! Trusted project files: a copy of each is kept, and a file that differs from its copy is not trusted.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_client::{CallError, Paths};

/// The path of a file's copy: beside the state directories of all daemons, named by the file's whole path.
fn copy_of(paths: &Paths, path: &Path) -> PathBuf {
    let directory = paths.state.parent().unwrap_or(&paths.state).join("trusted");
    directory.join(path.to_string_lossy().replace('%', "%25").replace('/', "%2F"))
}

pub(super) fn is_trusted(paths: &Paths, path: &Path, text: &str) -> bool {
    fs::read_to_string(copy_of(paths, path)).is_ok_and(|trusted| trusted == text)
}

pub(super) fn remember(paths: &Paths, path: &Path, text: &str) -> Result<(), CallError> {
    let copy = copy_of(paths, path);
    let failed = |why: std::io::Error| CallError::Local(format!("Cannot write {}: {why}", copy.display()));
    if let Some(directory) = copy.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    }
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&copy);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)
}
