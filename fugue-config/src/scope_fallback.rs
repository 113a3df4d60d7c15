//! The scopes that apply while those of the file cannot be read: a mistake must not let agents do more than the person
//! wanted.

use fugue_protocol::Scope;

use crate::config::Config;
use crate::mistake::Mistake;
use crate::sections::ConfigEntry;
use crate::settings::SettingReader;

/// The mistake while there is no file, but scopes are in force: an editor may be about to replace the file, or a link may
/// lead nowhere.
const NO_FILE: &str = "the file does not exist; to lift the scopes, create it without [scopes]";

/// The scopes of a file that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnreadScopes {
    /// The entries of `[scopes]` whose value is invalid: their names and lines.
    pub(crate) entries: Vec<(String, usize)>,
    /// Something in the file seems to be meant as scopes.
    pub(crate) elsewhere: bool,
    /// There is no file.
    pub(crate) no_file: bool,
}

impl Config {
    /// Completes the scopes with those that were in force before: an invalid scope keeps its last value, or is the
    /// strictest one. Without a file, all of them stay.
    pub fn with_last_scopes(mut self, last: Option<&Self>) -> Self {
        let unread = std::mem::take(&mut self.unread_scopes);
        if unread.no_file {
            self.keep_confinement(last);
        }
        if unread.no_file && last.is_some_and(|last| !last.scopes.is_empty()) {
            self.mistakes.push(Mistake { line: None, reader: SettingReader::Daemon, text: NO_FILE.into() });
            self.keep_scopes(last);
        }
        for (name, line) in unread.entries {
            let before = last.and_then(|last| last.scopes.iter().find(|last| last.name == name));
            let value = before.map_or(Scope::Observe, |last| last.value);
            self.scopes.push(ConfigEntry { name, line: Some(line), value });
            self.scopes_kept = true;
        }
        self.scopes.sort_by_key(|entry| entry.line);
        if unread.elsewhere && self.scopes.is_empty() {
            self.keep_scopes(last);
        }
        self
    }

    /// The configuration with which agents may only observe.
    pub fn strictest() -> Self {
        Self { scopes: strictest(), scopes_kept: true, ..Self::default() }
    }

    /// Keeps the last rules for confinement, if there are none.
    pub(crate) fn keep_confinement(&mut self, last: Option<&Self>) {
        if self.confine.is_empty() {
            let last = last.map(|last| last.confine.as_slice()).unwrap_or_default().iter();
            self.confine = last.map(|entry| ConfigEntry { line: None, ..entry.clone() }).collect();
        }
    }

    /// Keeps the last scopes; if there are none, the strictest apply.
    pub(crate) fn keep_scopes(&mut self, last: Option<&Self>) {
        let last = last.map(|last| last.scopes.as_slice()).unwrap_or_default().iter();
        self.scopes = last.map(|entry| ConfigEntry { line: None, ..entry.clone() }).collect();
        if self.scopes.is_empty() {
            self.scopes = strictest();
        }
        self.scopes_kept = true;
    }
}

/// The scopes that let the agents of every session only observe.
fn strictest() -> Vec<ConfigEntry<Scope>> {
    vec![ConfigEntry { name: "*".into(), line: None, value: Scope::Observe }]
}

/// Whether a name seems to be meant for scopes, or to contain them.
pub(crate) fn seems_scopes(name: &str) -> bool {
    name.to_ascii_lowercase().contains("scope")
}

/// Whether a line other than a comment mentions scopes, however broken the rest of it is.
pub(crate) fn mentions_scopes(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with('#') && seems_scopes(line))
}
