//! The entries of a TOML table with their lines.

use std::borrow::Cow;

use fugue_screen::keys::Key;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::value::SettingType;

/// An entry as it is in the file.
pub(crate) struct RawEntry<'a> {
    pub(crate) name: &'a str,
    pub(crate) line: usize,
    pub(crate) value: &'a DeValue<'a>,
}

/// The result of reading an entry, or of a field in it: the value, or the line and the text of a mistake.
pub(crate) type Checked<T> = Result<T, (usize, String)>;

impl RawEntry<'_> {
    /// Reads the value as a type. The mistake names the entry.
    pub(crate) fn read<T: SettingType>(&self) -> Checked<T> {
        T::read(self.value).map_err(|why| (self.line, format!("\"{}\" {why}", self.name)))
    }

    /// Parses the name of a key.
    pub(crate) fn key(&self, name: &str) -> Checked<Key> {
        name.parse().map_err(|why| (self.line, format!("\"{}\": {why}", self.name)))
    }
}

/// Returns the entries of a table in the order of the file.
pub(crate) fn entries<'a>(text: &str, table: &'a DeTable<'_>) -> Vec<RawEntry<'a>> {
    let mut found: Vec<(usize, RawEntry<'a>)> =
        table.iter().map(|(name, value)| entry(text, name, value)).collect();
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, entry)| entry).collect()
}

fn entry<'a>(
    text: &str,
    name: &'a Spanned<Cow<'_, str>>,
    value: &'a Spanned<DeValue<'_>>,
) -> (usize, RawEntry<'a>) {
    let start = name.span().start;
    (start, RawEntry { name: name.get_ref(), line: line_of(text, start), value: value.get_ref() })
}

/// Returns the line of a position in a text, counted from 1.
pub(crate) fn line_of(text: &str, position: usize) -> usize {
    text.get(..position).map_or(1, |before| before.matches('\n').count() + 1)
}
