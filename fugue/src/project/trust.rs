//! Trusted project files: a copy of each is kept, and a file that differs from its copy is not trusted.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use fugue_client::{CallError, Paths};

use crate::file_replacement::overwrite;

pub(super) fn is_trusted(paths: &Paths, path: &Path, text: &str) -> bool {
    fugue_config::is_trusted(&paths.state, path, text)
}

pub(super) fn remember(paths: &Paths, path: &Path, text: &str) -> Result<(), CallError> {
    let copy = fugue_config::trusted_copy(&paths.state, path);
    let failed = |why: std::io::Error| CallError::Local(format!("Cannot write {}: {why}", copy.display()));
    if let Some(directory) = copy.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    }
    overwrite(&copy, text).map_err(failed)
}
