//! Changes to files: made completely, or not at all.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fugue_config::read_regular;

use crate::file_replacement::{LARGEST, NotReplaced, replace};

/// A file's text before and after; `None` where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextChange {
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
pub(super) fn apply(changes: &[TextChange]) -> Result<(), String> {
    changes.iter().try_for_each(TextChange::check)?;
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

impl TextChange {
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
        match read(&self.path)? == self.before {
            true => Ok(()),
            false => Err(self.changed()),
        }
    }

    /// Makes the change, unless another program has changed the file since: a running agent writes to its own files.
    fn make(&self) -> Result<(), String> {
        let made = match &self.after {
            Some(text) => replace(&self.path, self.before.as_deref(), text),
            None => match read(&self.path)? == self.before {
                true => fs::remove_file(&self.path).map_err(NotReplaced::Failed),
                false => Err(NotReplaced::Changed),
            },
        };
        made.map_err(|failure| match failure {
            NotReplaced::Changed => self.changed(),
            NotReplaced::Failed(why) => format!("Cannot write {}: {why}", self.path.display()),
        })
    }

    fn changed(&self) -> String {
        format!("{} has changed in the meantime; run the command again", self.path.display())
    }
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
