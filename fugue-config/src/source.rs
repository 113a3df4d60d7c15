//! The file as it was found, and a file that cannot be used at all.

use std::io::ErrorKind;
use std::path::Path;

use crate::config::Config;
use crate::document::LineEnds;
use crate::mistake::Mistake;
use crate::regular_file::read_regular;
use crate::scope_fallback::mentions_scopes;
use crate::settings::SettingReader;

/// The largest file, in bytes: more than anyone writes by hand.
const LARGEST: u64 = 1 << 20;

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

    /// Returns the defaults with the last valid scopes. If these are not known, agents may only observe; if the last valid
    /// file had none, they may only observe if this one may have some.
    pub fn or_last_scopes(self, last: Option<&Config>) -> Config {
        self.keep_scopes(Config::default(), last)
    }

    /// Returns the settings that are in force, with this file's mistake. Agents that had no scopes may only observe if this
    /// file may have some: a typing mistake must not give them more than the person wanted.
    pub fn or_current(self, current: &Config) -> Config {
        self.keep_scopes(current.clone(), Some(current))
    }

    fn keep_scopes(self, mut config: Config, last: Option<&Config>) -> Config {
        if self.may_have_scopes || last.is_none_or(|last| !last.scopes.is_empty()) {
            config.keep_scopes(last);
        }
        config.keep_confinement(last);
        config.mistakes = vec![self.mistake];
        config
    }

    pub(crate) fn unreadable(why: &str) -> Self {
        Self::new(None, why, true)
    }

    pub(crate) fn syntax(text: &str, lines: &LineEnds, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| lines.at(span.start));
        let why = format!("invalid TOML: {}", error.message().replace('\n', ", "));
        Self::new(line, &why, mentions_scopes(text))
    }

    pub(crate) fn too_many_entries(most: usize) -> Self {
        Self::new(None, &format!("more than {most} entries"), true)
    }

    fn new(line: Option<usize>, why: &str, may_have_scopes: bool) -> Self {
        let text = format!("{why}; the file is ignored until this is fixed");
        Self { mistake: Mistake { line, reader: SettingReader::Daemon, text }, may_have_scopes }
    }
}
