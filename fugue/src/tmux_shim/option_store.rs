//! The options that tmux's commands set, in a file beside the daemon's socket.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fugue_tmux::steps::OptionChange;
use rustix::fs::{FlockOperation, flock};

/// The most options that are remembered.
const KEPT: usize = 10_000;

/// The options that were set, by scope and name.
#[derive(Debug, Default)]
pub(super) struct Options {
    set: BTreeMap<String, String>,
}

/// A path with something behind its last component.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Waits until nobody else changes a file.
fn lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).mode(0o600).open(beside(path, ".lock"))?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

impl Options {
    /// Reads all of them.
    pub(super) fn load(path: &Path) -> BTreeMap<String, String> {
        Self::read(path).unwrap_or_default().set
    }

    /// Changes one. Others that change options at the same time wait, so that nothing is lost.
    pub(super) fn change(path: &Path, change: &OptionChange) -> Result<(), String> {
        let cannot = |why: io::Error| format!("cannot write {}: {why}", path.display());
        let _lock = lock(path).map_err(cannot)?;
        let mut options = Self::read(path)?;
        let before = options.set.clone();
        options.apply(change)?;
        if options.set != before {
            options.write(path).map_err(cannot)?;
        }
        Ok(())
    }

    fn apply(&mut self, change: &OptionChange) -> Result<(), String> {
        let OptionChange { scope, name, value, append, only_once } = change;
        let key = format!("{scope}/{name}");
        let before = self.set.get(&key).cloned();
        if *only_once && before.is_some() {
            return Err(format!("already set: {name}"));
        }
        let Some(value) = value else {
            self.set.remove(&key);
            return Ok(());
        };
        if self.set.len() >= KEPT && before.is_none() {
            return Err("too many options".into());
        }
        let before = before.filter(|_| *append).unwrap_or_default();
        self.set.insert(key, before + value);
        Ok(())
    }

    /// Reads a file. One that cannot be understood is not replaced: somebody may still want what is in it.
    fn read(path: &Path) -> Result<Self, String> {
        let cannot = |why: String| {
            format!("cannot read {}: {why}\nhint: remove the file to start without options", path.display())
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                serde_json::from_str(&text).map(|set| Self { set }).map_err(|why| cannot(why.to_string()))
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(why) => Err(cannot(why.to_string())),
        }
    }

    /// Writes a file as a whole: whoever reads it meanwhile finds what was in it before.
    fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = beside(path, ".new");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        file.write_all(serde_json::to_string(&self.set)?.as_bytes())?;
        fs::rename(&unfinished, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str) -> OptionChange {
        let (scope, value) = (String::new(), Some("x".to_owned()));
        OptionChange { scope, name: name.to_owned(), value, append: false, only_once: false }
    }

    #[test]
    fn options_set_at_the_same_time_are_all_kept() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("default.tmux-options");
        std::thread::scope(|scope| {
            for number in 0..20 {
                let path = &path;
                scope.spawn(move || Options::change(path, &set(&format!("@o{number}"))).expect("set"));
            }
        });
        assert_eq!(Options::load(&path).len(), 20);
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_not_replaced() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("default.tmux-options");
        fs::write(&path, "{\"/@a\":").expect("written");
        let failed = Options::change(&path, &set("@b"));
        assert!(failed.is_err_and(|why| why.contains("hint: remove the file")));
        assert_eq!(fs::read_to_string(&path).expect("still there"), "{\"/@a\":");
    }
}
