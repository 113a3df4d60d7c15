//! What `fugue import-tmux` prints: what would be written, what would not, and what is replaced.

use std::path::Path;

use fugue_screen::keys::Key;
use fugue_tui::ListedKey;

use super::{Import, SourceLine};
use crate::config_edit::ConfigEdit;
use crate::context::ALIASES;

impl Import {
    /// What would be written, and what not.
    pub(super) fn report(&self, file: &Path, before: &str, config: &Path) -> String {
        let mut text = format!("# From {}:\n", file.display());
        text += &self.applied("").unwrap_or_default();
        let entries = self.entries.iter().map(|(entry, _)| entry);
        let replaced: Vec<_> = entries.filter(|entry| replaces(entry, before)).collect();
        if !replaced.is_empty() {
            text += &format!("\n# Replaces these settings in {}:\n", config.display());
            replaced.iter().for_each(|entry| text += &format!("#   {}\n", entry.key));
        }
        if !self.not_needed.is_empty() {
            text += "\n# Not needed:\n";
            self.not_needed.iter().for_each(|(name, why)| text += &format!("#   {name}: {why}\n"));
        }
        if !self.left_out.is_empty() {
            text += "\n# Not imported:\n";
            for (SourceLine { place, line }, why) in &self.left_out {
                let line = line.replace('\n', " ");
                text += &format!("#   {place}: {line}\n#     {why}\n");
            }
        }
        let keys = self.replaced_keys();
        if !keys.is_empty() {
            text += "\n# Replaces these keys of fugue:\n";
            keys.iter().for_each(|(key, about)| text += &format!("#   {key}: {about}\n"));
        }
        text.trim_end().to_owned()
    }

    /// The default keys of fugue that get another command, and what they did. Keys that the file only unbinds are left
    /// out, since the user removed them on purpose.
    pub(super) fn replaced_keys(&self) -> Vec<(String, String)> {
        let defaults = fugue_tui::default_key_list();
        let bound = self.entries.iter().map(|(entry, _)| entry).filter(|entry| entry.section == Some("keys"));
        let replaced = bound.filter_map(|entry| {
            let line = command(&entry.value).filter(|line| !line.is_empty())?;
            let own = defaults.iter().find(|own| is_key(own, &entry.key))?;
            let is_same = fugue_tui::is_same_line(line, &own.command, &ALIASES);
            (!is_same).then(|| (entry.key.clone(), own.about.clone()))
        });
        replaced.collect()
    }
}

/// The command line of an entry of `[keys]`.
fn command(value: &toml::Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("run")?.as_str())
}

/// Whether an entry of `[keys]` is about this key.
fn is_key(own: &ListedKey, key: &str) -> bool {
    let (table, name) = key.strip_prefix("prefix ").map_or(("root", key), |name| ("prefix", name));
    own.table == table && name.parse::<Key>().is_ok_and(|key| own.key.parse() == Ok(key))
}

/// Whether a file has another value for the key of an entry.
fn replaces(entry: &ConfigEdit, before: &str) -> bool {
    let Ok(table) = before.parse::<toml::Table>() else { return false };
    let section = match entry.section {
        None => Some(&table),
        Some(section) => table.get(section).and_then(toml::Value::as_table),
    };
    section.and_then(|section| section.get(&entry.key)).is_some_and(|value| *value != entry.value)
}
