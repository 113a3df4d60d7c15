//! `.worktreeinclude`: files that git ignores, such as `.env`, but that a new worktree needs. Its patterns are those of
//! `.gitignore`; a file is copied if it matches one and git ignores it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use super::git::scan;

/// The file with the patterns, at the top of the worktree that the new one is made from.
const PATTERNS: &str = ".worktreeinclude";

/// The most files that are copied: more are a build directory that was named by mistake.
const MAX_FILES: usize = 10_000;

/// The most bytes that are copied.
const MAX_BYTES: u64 = 1 << 30;

/// Paths that git is asked about at a time, so that they fit on its command line.
const PATHS_AT_A_TIME: usize = 200;

/// Copies the files from one worktree to another and returns how many there were.
pub(super) fn copy(from: &Path, to: &Path) -> Result<usize, String> {
    let wanted = ignored(from, named(from)?)?;
    let (mut copied, mut bytes) = (0, 0);
    for path in wanted {
        let Some(source) = regular_file(from, &path) else { continue };
        bytes += source.len();
        if copied == MAX_FILES || bytes > MAX_BYTES {
            return Err(format!("{PATTERNS} matches more than {MAX_FILES} files or 1 GiB of data"));
        }
        let done = copy_file(from, to, &path, source.permissions().mode());
        copied += usize::from(done.map_err(|why| format!("cannot copy `{}`: {why}", path.display()))?);
    }
    Ok(copied)
}

/// The untracked files that the patterns name.
fn named(from: &Path) -> Result<Vec<PathBuf>, String> {
    let patterns = from.join(PATTERNS);
    if !fs::symlink_metadata(&patterns).is_ok_and(|file| file.is_file()) {
        return Ok(Vec::new());
    }
    let exclude = format!("--exclude-from={PATTERNS}");
    let listed = scan(from).run_raw(["ls-files", "-z", "--others", "--ignored", &exclude]);
    listed.map(|listed| paths(&listed)).map_err(|why| format!("{PATTERNS}: {why}"))
}

/// Those of the files that git ignores.
fn ignored(from: &Path, named: Vec<PathBuf>) -> Result<Vec<PathBuf>, String> {
    let mut ignored = Vec::new();
    for some in named.chunks(PATHS_AT_A_TIME) {
        let flags =
            ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"].map(PathBuf::from);
        let literal = some.iter().map(|path| {
            let mut literal = std::ffi::OsString::from(":(literal)");
            literal.push(path);
            PathBuf::from(literal)
        });
        let listed = scan(from).run_raw(flags.into_iter().chain(literal));
        ignored.extend(paths(&listed.map_err(|why| format!("{PATTERNS}: {why}"))?));
    }
    Ok(ignored)
}

/// Paths that are separated by NUL. A nested repository is listed as a directory and left out.
fn paths(listed: &[u8]) -> Vec<PathBuf> {
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/"));
    paths.map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path))).collect()
}

/// The file at a path that stays inside a directory: no component is `..` or a symbolic link.
fn regular_file(top: &Path, path: &Path) -> Option<fs::Metadata> {
    let mut whole = top.to_owned();
    let mut found = None;
    for component in path.components() {
        let Component::Normal(name) = component else { return None };
        whole.push(name);
        found = Some(fs::symlink_metadata(&whole).ok().filter(|found| !found.is_symlink())?);
    }
    found.filter(fs::Metadata::is_file)
}

/// Copies one file; returns false if there is something in its place.
fn copy_file(from: &Path, to: &Path, path: &Path, mode: u32) -> io::Result<bool> {
    if !has_directories(to, path.parent().unwrap_or(Path::new("")))? {
        return Ok(false);
    }
    let target = OpenOptions::new().write(true).create_new(true).mode(mode).open(to.join(path));
    match target {
        Ok(mut target) => io::copy(&mut File::open(from.join(path))?, &mut target).map(|_| true),
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(why) => Err(why),
    }
}

/// Creates the directories of a file; returns false if one of them is something else, such as a symbolic link.
fn has_directories(top: &Path, path: &Path) -> io::Result<bool> {
    let mut whole = top.to_owned();
    for component in path.components() {
        whole.push(component);
        match fs::create_dir(&whole) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&whole)?.is_dir() {
                    return Ok(false);
                }
            }
            created => created?,
        }
    }
    Ok(true)
}
