//! A mistake in the file, worded for a person.

use std::fmt;

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
