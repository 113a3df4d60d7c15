//! The keys in effect with a configuration file, as `list-keys` prints them.

use std::path::Path;

use crate::command::{commands_of, split_first};
use crate::config::ClientConfig;
use crate::copy_mode::action_table::{ACTS, Act};
use crate::copy_mode::key_tables::{CopyKeys, EMACS, VI};

/// A key with its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedKey {
    /// tmux's name of the key table.
    pub table: String,
    /// The key's name.
    pub key: String,
    /// The command that it runs, with `\;` between several.
    pub command: String,
    /// What it does, in words.
    pub about: String,
    /// Whether it may be pressed again without the prefix.
    pub repeats: bool,
}

/// The keys in effect with a configuration file, in the order of tmux's tables.
pub fn key_list(config: &Path, aliases: &[(&str, &'static str)]) -> Vec<ListedKey> {
    listed(&ClientConfig::read(config, aliases, &ClientConfig::default()).0)
}

/// The keys that fugue has by default.
pub fn default_key_list() -> Vec<ListedKey> {
    listed(&ClientConfig::default())
}

/// Whether two command lines do the same. A tmux command is compared as the fugue command that takes its place.
pub fn is_same_line(one: &str, other: &str, aliases: &[(&str, &'static str)]) -> bool {
    commands_of(one, aliases) == commands_of(other, aliases)
}

fn listed(config: &ClientConfig) -> Vec<ListedKey> {
    let copy_mode = copy_keys("copy-mode", EMACS, &config.copy_keys);
    let copy_mode_vi = copy_keys("copy-mode-vi", VI, &config.copy_keys);
    let bound = config.keys.bindings.iter().map(|binding| ListedKey {
        table: binding.table.name().to_owned(),
        key: binding.key.to_string(),
        command: escaped(binding.command.as_ref()),
        about: binding.about.to_string(),
        repeats: binding.repeats,
    });
    let mut keys: Vec<_> = copy_mode.into_iter().chain(copy_mode_vi).chain(bound).collect();
    // Stable, so that the keys of a table stay in their order.
    keys.sort_by(|one, other| one.table.cmp(&other.table));
    keys
}

/// A command line with `\;` between its commands, as `bind-key` takes it.
fn escaped(line: &str) -> String {
    let (mut commands, mut rest) = (Vec::new(), line);
    while !rest.trim().is_empty() {
        let (first, others) = split_first(rest);
        commands.push(first.trim());
        rest = others;
    }
    commands.retain(|command| !command.is_empty());
    commands.join(" \\; ")
}

/// The keys of copy mode in one of its tables. The user's own bindings replace those of both tables.
fn copy_keys(table: &str, rows: &[(&str, Act)], own: &CopyKeys) -> Vec<ListedKey> {
    let row = |key: String, act: Act| {
        let (name, _, about) = ACTS.iter().find(|(_, known, _)| *known == act)?;
        let (command, about) = (format!("send-keys -X {name}"), (*about).to_owned());
        Some(ListedKey { table: table.to_owned(), key, command, about, repeats: false })
    };
    let is_own = |name: &str| own.bound.iter().any(|(key, _)| name.parse() == Ok(*key));
    let usual = rows.iter().filter(|(name, _)| !is_own(name));
    let usual = usual.filter_map(|(name, act)| row((*name).to_owned(), *act));
    let is_last = |at: usize| !own.bound[at + 1..].iter().any(|(key, _)| *key == own.bound[at].0);
    let own_rows = own.bound.iter().enumerate().filter(|(at, _)| is_last(*at));
    let own_rows = own_rows.filter_map(|(_, (key, act))| row(key.to_string(), (*act)?));
    usual.chain(own_rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_commands_are_listed_as_bind_key_takes_them() {
        assert_eq!(["next-window", "; next-window ;;"].map(escaped), ["next-window"; 2]);
        assert_eq!(
            escaped("source-file 'a;b' ; say done ; zoom-pane"),
            r"source-file 'a;b' \; say done \; zoom-pane"
        );
    }

    #[test]
    fn the_users_keys_replace_those_of_both_tables_of_copy_mode() {
        let key = |name: &str| name.parse().expect("a key");
        let bound = vec![(key("y"), Some(Act::Top)), (key("y"), Some(Act::Bottom)), (key("q"), None)];
        let own = CopyKeys { emacs: false, bound };
        for (table, rows) in [("copy-mode-vi", VI), ("copy-mode", EMACS)] {
            let listed = copy_keys(table, rows, &own);
            let of = |key: &str| listed.iter().filter(|row| row.key == key).collect::<Vec<_>>();
            assert_eq!(of("q"), Vec::<&ListedKey>::new());
            assert_eq!(
                of("y").iter().map(|row| row.command.as_str()).collect::<Vec<_>>(),
                ["send-keys -X bottom"]
            );
            assert_eq!((of("y")[0].table.as_str(), of("y")[0].about.as_str()), (table, "newest row"));
        }
    }
}
