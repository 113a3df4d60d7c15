//! The options that are remembered beside the daemon's socket, and tmux's defaults for the others.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::script;
use super::shim::{Shim, Speaker};
use crate::tmux_settings;

/// tmux's options with their defaults, as `show-options` prints them after the scope.
const TABLE: &str = include_str!("tmux-options.txt");

/// What holds in fugue instead of tmux's default.
const HOLDS: [(&str, &str); 8] = [
    ("allow-passthrough", "off"),
    ("default-terminal", "xterm-256color"),
    ("extended-keys", "on"),
    ("focus-events", "on"),
    ("mouse", "on"),
    ("set-clipboard", "external"),
    ("status", "off"),
    ("status-position", "bottom"),
];

/// The most options that are remembered.
const KEPT: usize = 10_000;

/// The rows of the table: scope, name and value.
pub(super) fn rows() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    TABLE.lines().filter_map(|line| {
        let (scope, rest) = line.split_once(' ')?;
        let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let holds = HOLDS.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Some((scope, name, holds.unwrap_or_else(|| unquoted(value))))
    })
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> String {
    let commands = script::parse(value, &|_| None, &|format| Ok(format.to_owned())).ok();
    let word = commands.and_then(|commands| commands.into_iter().next()?.words.into_iter().next());
    word.filter(|_| value.starts_with(['"', '\''])).unwrap_or_else(|| value.to_owned())
}

pub(super) fn is_known(name: &str) -> bool {
    let plain = name.split('[').next().unwrap_or(name);
    name.starts_with('@')
        || rows().any(|(_, known, _)| known == name || known.split('[').next() == Some(plain))
}

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

/// The scope of an option that holds everywhere.
pub(super) const GLOBAL: &str = "";

impl Options {
    /// Reads them.
    pub(super) fn load(shim: &Shim) -> Self {
        Self::read(&shim.state_path("options")).unwrap_or_default()
    }

    /// Changes them. Others that change them at the same time wait, so that nothing is lost.
    pub(super) fn change<T>(
        shim: &Shim,
        change: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        Self::change_file(&shim.state_path("options"), change)
    }

    fn change_file<T>(path: &Path, change: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        let cannot = |why: io::Error| format!("cannot write {}: {why}", path.display());
        let _lock = lock(path).map_err(cannot)?;
        let mut options = Self::read(path)?;
        let before = options.set.clone();
        let result = change(&mut options)?;
        if options.set != before {
            options.write(path).map_err(cannot)?;
        }
        Ok(result)
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

    /// The value of an option, for a format.
    pub(super) fn value(&self, shim: &Shim, name: &str) -> Option<String> {
        let ends = format!("/{name}");
        let local = self.set.iter().find(|(key, _)| key.ends_with(&ends)).map(|(_, value)| value.clone());
        self.get(GLOBAL, name).or(local).or_else(|| inherited(shim, name))
    }

    pub(super) fn get(&self, scope: &str, name: &str) -> Option<String> {
        self.set.get(&format!("{scope}/{name}")).cloned()
    }

    /// All options of a scope.
    pub(super) fn of_scope(&self, scope: &str) -> BTreeMap<String, String> {
        let prefix = format!("{scope}/");
        let own = self.set.iter().filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
        own.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    pub(super) fn insert(&mut self, scope: &str, name: &str, value: String) -> Result<(), String> {
        if self.set.len() >= KEPT {
            return Err("too many options".into());
        }
        self.set.insert(format!("{scope}/{name}"), value);
        Ok(())
    }

    pub(super) fn remove(&mut self, scope: &str, name: &str) {
        self.set.remove(&format!("{scope}/{name}"));
    }
}

/// The value of an option that was not set: that of the setting in its place. A program also finds tmux's defaults; a
/// person is only shown what holds.
pub(super) fn inherited(shim: &Shim, name: &str) -> Option<String> {
    let is_program = shim.speaker == Speaker::Program;
    let is_fixed = is_program && name == "status";
    let configured = || tmux_settings::configured(name, &shim.paths.config).filter(|_| !is_fixed);
    let is_shown =
        |known: &str| known == name && (is_program || HOLDS.iter().any(|(held, _)| *held == known));
    configured().or_else(|| rows().find(|(_, known, _)| is_shown(known)).map(|(.., value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_set_at_the_same_time_are_all_kept() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("default.tmux-options");
        std::thread::scope(|scope| {
            for number in 0..20 {
                let set =
                    move |options: &mut Options| options.insert(GLOBAL, &format!("@o{number}"), "x".into());
                scope.spawn({
                    let path = &path;
                    move || Options::change_file(path, set).expect("set")
                });
            }
        });
        assert_eq!(Options::read(&path).expect("readable").of_scope(GLOBAL).len(), 20);
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_not_replaced() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("default.tmux-options");
        fs::write(&path, "{\"/@a\":").expect("written");
        let failed = Options::change_file(&path, |options| options.insert(GLOBAL, "@b", "x".into()));
        assert!(failed.is_err_and(|why| why.contains("hint: remove the file")));
        assert_eq!(fs::read_to_string(&path).expect("still there"), "{\"/@a\":");
    }
}
