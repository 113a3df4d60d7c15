//! A mistake in the file, worded for a person.

use std::fmt;

use fugue_protocol::refusal::nearest;

use crate::settings::SettingReader;

/// A mistake in `config.toml`. It concerns one entry, except where the file cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line of the entry, counted from 1.
    pub line: Option<usize>,
    /// The process that would have used the entry.
    pub reader: SettingReader,
    /// What is wrong, and the nearest valid name if there is one.
    pub text: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "config.toml, line {line}: {}", self.text),
            None => write!(f, "config.toml: {}", self.text),
        }
    }
}

/// Returns `; did you mean "…"?`, or nothing if no name is similar.
pub(crate) fn did_you_mean<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, names).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default()
}
