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
pub(crate) type EntryResult<T> = Result<T, (usize, String)>;

impl RawEntry<'_> {
    /// Reads the value as a type. The mistake names the entry.
    pub(crate) fn read<T: SettingType>(&self) -> EntryResult<T> {
        T::read(self.value).map_err(|why| (self.line, format!("\"{}\" {why}", self.name)))
    }

    /// Parses the name of a key.
    pub(crate) fn key(&self, name: &str) -> EntryResult<Key> {
        name.parse().map_err(|why| (self.line, format!("\"{}\": {why}", self.name)))
    }
}

/// Returns the entries of a table in the order of the file.
pub(crate) fn entries<'a>(lines: &LineEnds, table: &'a DeTable<'_>) -> Vec<RawEntry<'a>> {
    let mut found: Vec<(usize, RawEntry<'a>)> =
        table.iter().map(|(name, value)| entry(lines, name, value)).collect();
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, entry)| entry).collect()
}

fn entry<'a>(
    lines: &LineEnds,
    name: &'a Spanned<Cow<'_, str>>,
    value: &'a Spanned<DeValue<'_>>,
) -> (usize, RawEntry<'a>) {
    let start = name.span().start;
    (start, RawEntry { name: name.get_ref(), line: lines.at(start), value: value.get_ref() })
}

/// The positions at which the lines of a text end: the line of an entry is found without reading the text again.
pub(crate) struct LineEnds(Vec<usize>);

impl LineEnds {
    pub(crate) fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// Returns the line of a position, counted from 1.
    pub(crate) fn at(&self, position: usize) -> usize {
        self.0.partition_point(|end| *end < position) + 1
    }
}

/// Returns the number of entries in a table and in the tables within it.
pub(crate) fn count(table: &DeTable<'_>) -> usize {
    let within = |value: &DeValue<'_>| match value {
        DeValue::Table(table) => count(table),
        _ => 0,
    };
    table.values().map(|value| 1 + within(value.get_ref())).sum()
}
