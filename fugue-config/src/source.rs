//! The file as it was found, and a file that cannot be used at all.

use std::io::ErrorKind;
use std::path::Path;

use fugue_protocol::Scope;

use crate::config::Config;
use crate::document::line_of;
use crate::mistake::Mistake;
use crate::regular_file::read_regular;
use crate::sections::ConfigEntry;
use crate::settings::SettingReader;

/// The largest file, in bytes: more than anyone writes by hand.
const LARGEST: u64 = 4 << 20;

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSource {
    /// There is no file. That is no mistake: every setting has its default.
    Missing,
    /// The file's text.
    Text(String),
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

/// A file that cannot be used at all: the settings that were in force stay in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableConfig {
    /// The reason.
    pub mistake: Mistake,
    /// Whether the file restricts agents, or may do so.
    may_have_scopes: bool,
}

impl ConfigSource {
    /// Reads a file.
    pub fn read(path: &Path) -> Self {
        match read_regular(path, LARGEST) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Unreadable("not UTF-8 text".into()),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Self::Missing,
            Err(error) => Self::Unreadable(format!("cannot be read: {error}")),
        }
    }
}

impl UnusableConfig {
    /// Returns the defaults, for a process that starts with this file.
    pub fn or_defaults(self) -> Config {
        self.or_last_scopes(None)
    }

    /// Returns the defaults with the last valid scopes. If there are none, agents may only observe if the file may have
    /// scopes: a typing mistake must not give them more than the person wanted.
    pub fn or_last_scopes(self, last: Option<&Config>) -> Config {
        let scopes = match last {
            Some(last) => last.scopes.clone(),
            None if self.may_have_scopes => strictest(),
            None => Vec::new(),
        };
        let scopes_kept = !scopes.is_empty();
        Config { scopes, scopes_kept, mistakes: vec![self.mistake], ..Config::default() }
    }

    pub(crate) fn unreadable(why: &str) -> Self {
        let text = format!("{why}; the file is ignored until this is fixed");
        Self { mistake: Mistake { line: None, reader: SettingReader::Daemon, text }, may_have_scopes: true }
    }

    pub(crate) fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| line_of(text, span.start));
        let why = error.message().replace('\n', ", ");
        let mistake = Mistake {
            line,
            reader: SettingReader::Daemon,
            text: format!("invalid TOML: {why}; the file is ignored until this is fixed"),
        };
        Self { mistake, may_have_scopes: mentions_scopes(text) }
    }
}

/// Whether a line begins with the name of the section, however broken the rest of it is.
fn mentions_scopes(text: &str) -> bool {
    text.lines().any(|line| line.trim_start_matches(['[', '"', '\'', ' ', '\t']).starts_with("scopes"))
}

/// The scopes that let the agents of every session only observe.
pub(crate) fn strictest() -> Vec<ConfigEntry<Scope>> {
    vec![ConfigEntry { name: "*".into(), line: None, value: Scope::Observe }]
}
