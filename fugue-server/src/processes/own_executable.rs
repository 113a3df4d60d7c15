//! The executable that this daemon runs.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::program_start::spawn_environment;

/// The path of the executable, as clients are told it.
pub(crate) fn path() -> String {
    std::env::current_exe().map(|path| spawn_environment::text(&path)).unwrap_or_default()
}

/// Whether the executable is the one at a path.
pub(crate) fn is_at(binary: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    identity(binary).is_some_and(|file| Some(file) == identity(Path::new("/proc/self/exe")))
}
