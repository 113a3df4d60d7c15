//! Changes to files: made completely, or not at all.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fugue_config::read_regular;

/// The largest file that is edited, in bytes: Claude Code keeps its history in one of them.
const LARGEST: u64 = 64 << 20;

/// A file's text before and after; `None` where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// Reads a file; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, String> {
    match read_regular(path, LARGEST) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes);
            text.map(Some).map_err(|_| format!("{} is not UTF-8 text", path.display()))
        }
        Err(why) if why.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => Ok(None),
        Err(why) => Err(format!("Cannot read {}: {why}", path.display())),
    }
}

/// Makes all changes. If one fails, those before it are undone.
pub(super) fn apply(changes: &[FileChange]) -> Result<(), String> {
    changes.iter().try_for_each(FileChange::check)?;
    for (done, change) in changes.iter().enumerate() {
        if let Err(why) = change.make() {
            for made in changes[..done].iter().rev() {
                let _ = made.reversed().make();
            }
            return Err(why);
        }
    }
    Ok(())
}

impl FileChange {
    pub(super) fn is_empty(&self) -> bool {
        self.before == self.after
    }

    fn reversed(&self) -> Self {
        Self { path: self.path.clone(), before: self.after.clone(), after: self.before.clone() }
    }

    /// Refuses to change a file that must not be written, or that is no longer what the user was shown.
    fn check(&self) -> Result<(), String> {
        if fs::metadata(&self.path).is_ok_and(|file| file.permissions().readonly()) {
            return Err(format!("{} is read-only", self.path.display()));
        }
        if read(&self.path)? != self.before {
            return Err(format!(
                "{} has changed in the meantime; run the command again",
                self.path.display()
            ));
        }
        Ok(())
    }

    fn make(&self) -> Result<(), String> {
        let failed = |why: std::io::Error| format!("Cannot write {}: {why}", self.path.display());
        match &self.after {
            Some(text) => write(&self.path, text).map_err(failed),
            None => fs::remove_file(&self.path).map_err(failed),
        }
    }
}

/// Replaces a file in one step. Where the path is a link, the file it leads to is replaced.
pub(super) fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.fugue-{}", std::process::id()));
    let result = write_new(&temporary, &path, text).and_then(|()| fs::rename(&temporary, &path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Writes a file with the mode and the owner of the one that it will replace.
fn write_new(temporary: &Path, replaced: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(temporary)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(replaced) {
        let new = file.metadata()?;
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
    }
    file.sync_all()
}

/// Removes directories that are empty, the innermost first.
pub(super) fn remove_empty(directories: &[PathBuf]) {
    for directory in directories {
        let _ = fs::remove_dir(directory);
    }
}

/// Returns the directories that a file needs and that do not exist, the innermost first.
pub(super) fn missing_directories(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    above
        .take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists())
        .map(Into::into)
        .collect()
}
