//! Which files a person trusts: a copy of each, as it was when they said so. One that differs is not trusted.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_client::{CallError, Paths};

/// Where the copy of a file is kept: beside the states of all daemons, by its whole path.
fn copy_of(places: &Paths, path: &Path) -> PathBuf {
    let folder = places.state.parent().unwrap_or(&places.state).join("trusted");
    folder.join(path.to_string_lossy().replace('%', "%25").replace('/', "%2F"))
}

pub(super) fn is_trusted(places: &Paths, path: &Path, text: &str) -> bool {
    fs::read_to_string(copy_of(places, path)).is_ok_and(|trusted| trusted == text)
}

pub(super) fn remember(places: &Paths, path: &Path, text: &str) -> Result<(), CallError> {
    let copy = copy_of(places, path);
    let wrong = |why: std::io::Error| CallError::Local(format!("{}: {why}", copy.display()));
    if let Some(folder) = copy.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(wrong)?;
    }
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&copy);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(wrong)
}
