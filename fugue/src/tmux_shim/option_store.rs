//! The options that are remembered beside the daemon's socket, and tmux's defaults for the others.

use std::collections::BTreeMap;
use std::fs;

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

/// The scope of an option that holds everywhere.
pub(super) const GLOBAL: &str = "";

impl Options {
    /// Reads them.
    pub(super) fn load(shim: &Shim) -> Self {
        let text = fs::read_to_string(shim.state_path("options")).unwrap_or_default();
        Self { set: serde_json::from_str(&text).unwrap_or_default() }
    }

    pub(super) fn store(&self, shim: &Shim) -> Result<(), String> {
        let path = shim.state_path("options");
        let text = serde_json::to_string(&self.set).unwrap_or_default();
        fs::write(&path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))
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
