//! The regular expressions of screen rules. Each is compiled when it is first used: most daemons never see most agents,
//! and compiling all patterns of the built-in table would take longer than the rest of the daemon's start.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// The largest pattern, in bytes of its compiled form: the file is the user's own, and typing mistakes happen.
const PATTERN_SIZE: usize = 1 << 20;

/// A regular expression for several rows, in which `^` and `$` are the ends of a row.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(super) struct RowPattern {
    text: String,
    compiled: OnceLock<Result<Regex, String>>,
}

impl From<String> for RowPattern {
    fn from(text: String) -> Self {
        Self { text, compiled: OnceLock::new() }
    }
}

impl RowPattern {
    fn compiled(&self) -> &Result<Regex, String> {
        self.compiled.get_or_init(|| {
            let pattern = RegexBuilder::new(&self.text).multi_line(true).size_limit(PATTERN_SIZE).build();
            pattern.map_err(|error| format!("invalid pattern: {error}"))
        })
    }

    /// Whether the rows match. A pattern that is invalid matches nothing.
    pub(super) fn is_match(&self, rows: &str) -> bool {
        self.compiled().as_ref().is_ok_and(|pattern| pattern.is_match(rows))
    }

    /// Returns the text of the first group.
    pub(super) fn group<'a>(&self, rows: &'a str) -> Option<&'a str> {
        let found = self.compiled().as_ref().ok()?.captures(rows)?.get(1)?.as_str().trim();
        (!found.is_empty()).then_some(found)
    }

    /// Returns the pattern and what is wrong with it.
    pub(super) fn mistake(&self, needs_group: bool) -> Option<(&str, String)> {
        match self.compiled() {
            Err(why) => Some((&self.text, why.clone())),
            Ok(pattern) if needs_group && pattern.captures_len() < 2 => {
                Some((&self.text, "the pattern needs a capture group, such as `^Reason: (.+)`".into()))
            }
            Ok(_) => None,
        }
    }
}
