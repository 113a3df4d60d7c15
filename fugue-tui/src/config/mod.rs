//! The person's settings: sections `[client]`, `[theme]`, `[keys]` and `[copy_keys]` of `config.toml`. The rest of the
//! file is the daemon's. A mistake is told with its place and the nearest right name, and everything else holds.

mod keys;
mod looks;
mod watch;

use std::path::Path;

use fugue_protocol::refusal::nearest;
use fugue_screen::keys::Key;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use looks::Looks;
pub(crate) use watch::Watch;

use crate::copy_mode::key_tables::CopyKeys;
use crate::keys::bindings::Keys;

/// What a person may choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    /// The keys.
    pub(crate) keys: Keys,
    /// Which theme, and what differs from it.
    pub(crate) looks: Looks,
    /// Whether the mouse is used.
    pub(crate) mouse: bool,
    /// Whether there is a status line.
    pub(crate) status: bool,
    /// Whether every pane has its title above it, those at the top, too.
    pub(crate) titles: bool,
    /// Whether the sidebar is open from the beginning.
    pub(crate) sidebar: bool,
    /// Whether the terminal is told when an agent needs somebody.
    pub(crate) notify: bool,
    /// Whether a bell is rung with it.
    pub(crate) bell: bool,
    /// Whether programs may write to the terminal's clipboard.
    pub(crate) clipboard: bool,
    /// The keys of the view back.
    pub(crate) copy_keys: CopyKeys,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            keys: Keys::default(),
            looks: Looks::default(),
            mouse: true,
            status: true,
            titles: false,
            sidebar: false,
            notify: true,
            bell: true,
            clipboard: true,
            copy_keys: CopyKeys::default(),
        }
    }
}

/// Sections of the file that are the client's.
const SECTIONS: [&str; 4] = ["client", "theme", "keys", "copy_keys"];

/// Settings of `[client]`.
const CLIENT: [&str; 9] =
    ["prefix", "mouse", "status", "titles", "sidebar", "notify", "bell", "clipboard", "copy_keys"];

/// One entry of the file, with its name and its line.
struct Entry<'a> {
    name: &'a str,
    line: usize,
    value: &'a DeValue<'a>,
}

/// Everything that is wrong.
struct Mistakes<'a> {
    text: &'a str,
    found: Vec<String>,
}

impl Config {
    /// The settings in a file, and what is wrong with them. No file is no mistake.
    pub(crate) fn read(path: &Path, aliases: &[(&str, &'static str)]) -> (Self, Vec<String>) {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, aliases),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
            Err(error) => (Self::default(), vec![format!("config.toml cannot be read: {error}")]),
        }
    }

    pub(crate) fn parse(text: &str, aliases: &[(&str, &'static str)]) -> (Self, Vec<String>) {
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => return (Self::default(), vec![syntax(text, &error)]),
        };
        let mut config = Self::default();
        let mut mistakes = Mistakes { text, found: Vec::new() };
        let mut sections = mistakes.entries(table.get_ref());
        // The prefix first: keys may be bound to it.
        sections.sort_by_key(|entry| entry.name != "client");
        for entry in sections {
            match (entry.name, entry.value) {
                ("client", DeValue::Table(rows)) => config.client(rows, &mut mistakes),
                ("theme", DeValue::Table(rows)) => looks::read(&mut config.looks, rows, &mut mistakes),
                ("keys", DeValue::Table(rows)) => keys::read(&mut config.keys, rows, aliases, &mut mistakes),
                ("copy_keys", DeValue::Table(rows)) => {
                    keys::read_copy(&mut config.copy_keys, rows, &mut mistakes);
                }
                (name, DeValue::Table(_)) => mistakes.section(name, entry.line),
                (name, _) if SECTIONS.contains(&name) => {
                    mistakes.add(entry.line, format!("`{name}` is a section: write `[{name}]`"));
                }
                _ => {}
            }
        }
        (config, mistakes.found)
    }

    fn client(&mut self, rows: &DeTable<'_>, mistakes: &mut Mistakes<'_>) {
        for entry in mistakes.entries(rows) {
            match entry.name {
                "prefix" => {
                    if let Some(key) = mistakes.key(&entry) {
                        self.keys.set_prefix(key);
                    }
                }
                "mouse" => mistakes.switch(&entry, &mut self.mouse),
                "status" => mistakes.switch(&entry, &mut self.status),
                "titles" => mistakes.switch(&entry, &mut self.titles),
                "sidebar" => mistakes.switch(&entry, &mut self.sidebar),
                "notify" => mistakes.switch(&entry, &mut self.notify),
                "bell" => mistakes.switch(&entry, &mut self.bell),
                "clipboard" => match mistakes.word(&entry) {
                    Some("write") => self.clipboard = true,
                    Some("off") => self.clipboard = false,
                    Some(other) => {
                        mistakes.add(entry.line, format!("`{other}` is neither `write` nor `off`"));
                    }
                    None => {}
                },
                "copy_keys" => match mistakes.word(&entry) {
                    Some("vi") => self.copy_keys.emacs = false,
                    Some("emacs") => self.copy_keys.emacs = true,
                    Some(other) => mistakes.add(entry.line, format!("`{other}` is neither `vi` nor `emacs`")),
                    None => {}
                },
                _ => mistakes.unknown(&entry, "[client]", CLIENT.into_iter()),
            }
        }
    }
}

impl<'t> Mistakes<'t> {
    /// What a table holds, in the order of the file.
    fn entries<'a>(&self, table: &'a DeTable<'_>) -> Vec<Entry<'a>> {
        let entry = |(name, value): (&'a Spanned<_>, &'a Spanned<DeValue<'a>>)| {
            let name: &'a Spanned<std::borrow::Cow<'a, str>> = name;
            Entry { name: name.get_ref(), line: line(self.text, name.span().start), value: value.get_ref() }
        };
        let mut entries: Vec<Entry<'a>> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.line);
        entries
    }

    fn add(&mut self, line: usize, why: impl std::fmt::Display) {
        self.found.push(format!("config.toml, line {line}: {why}"));
    }

    fn unknown<'a>(&mut self, entry: &Entry<'_>, place: &str, names: impl Iterator<Item = &'a str>) {
        let near = nearest(entry.name, names).map(|near| format!("; did you mean `{near}`?"));
        self.add(entry.line, format!("{place} has no `{}`{}", entry.name, near.unwrap_or_default()));
    }

    /// A section that is none of ours may be the daemon's; one that is nearly ours is a slip.
    fn section(&mut self, name: &str, line: usize) {
        if let Some(near) = nearest(name, SECTIONS.into_iter()) {
            self.add(line, format!("there is no section `[{name}]`; did you mean `[{near}]`?"));
        }
    }

    fn word<'a>(&mut self, entry: &Entry<'a>) -> Option<&'a str> {
        match entry.value {
            DeValue::String(text) => Some(text),
            _ => {
                self.add(entry.line, format!("`{}` is a text between quotes", entry.name));
                None
            }
        }
    }

    fn switch(&mut self, entry: &Entry<'_>, into: &mut bool) {
        match entry.value {
            DeValue::Boolean(value) => *into = *value,
            _ => self.add(entry.line, format!("`{}` is true or false", entry.name)),
        }
    }

    fn key(&mut self, entry: &Entry<'_>) -> Option<Key> {
        match self.word(entry)?.parse() {
            Ok(key) => Some(key),
            Err(why) => {
                self.add(entry.line, format!("`{}`: {why}", entry.name));
                None
            }
        }
    }
}

/// The line of a place in a text, counted from one.
fn line(text: &str, at: usize) -> usize {
    text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
}

fn syntax(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| line(text, span.start));
    format!("config.toml, line {line}: {}; nothing of it is used", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy_mode::actions::Act;

    fn mistakes(text: &str) -> Vec<String> {
        Config::parse(text, &[]).1
    }

    #[test]
    fn what_is_chosen_holds() {
        let text = "history_lines = 5\n[client]\nprefix = \"C-a\"\nmouse = false\n[agents]\nx = 1\n";
        let (config, mistakes) = Config::parse(text, &[]);
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!((config.keys.prefix(), config.mouse), ("C-a".parse().unwrap(), false));
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_the_nearest_name() {
        let text = "[client]\nmose = true\nbell = 3\nprefix = \"C-Entr\"\n\n[theme]\nnaem = \"x\"\n[kyes]\n";
        assert_eq!(
            mistakes(text),
            [
                "config.toml, line 2: [client] has no `mose`; did you mean `mouse`?",
                "config.toml, line 3: `bell` is true or false",
                "config.toml, line 4: `prefix`: no key named `C-Entr`; did you mean `Enter`?",
                "config.toml, line 7: [theme] has no `naem`; did you mean `name`?",
                "config.toml, line 8: there is no section `[kyes]`; did you mean `[keys]`?",
            ]
        );
        assert_eq!(mistakes("[client]\nmouse = = 1").len(), 1);
        assert!(mistakes("[client]\nmouse = = 1")[0].starts_with("config.toml, line 2: "));
    }

    #[test]
    fn keys_of_the_view_back_are_bound_by_name() {
        let text =
            "[copy_keys]\n\"Y\" = \"copy\"\n\"q\" = \"\"\n\"Z\" = \"copi\"\n\"Entr\" = \"copy\"\n\"z\" = 3\n";
        let (config, mistakes) = Config::parse(text, &[]);
        assert_eq!(config.copy_keys.find("Y".parse().unwrap()), Some(Act::Copy));
        assert_eq!(config.copy_keys.find("q".parse().unwrap()), None, "taken away");
        assert_eq!(config.copy_keys.find("y".parse().unwrap()), Some(Act::Copy), "as before");
        assert_eq!(
            mistakes,
            [
                "config.toml, line 4: `Z`: the view back cannot `copi`; did you mean `copy`?",
                "config.toml, line 5: no key named `Entr`; did you mean `Enter`?",
                "config.toml, line 6: `z` is a text between quotes",
            ]
        );
    }

    #[test]
    fn keys_are_bound_taken_away_and_told_when_wrong() {
        let text = r#"
[keys]
"prefix h" = "focus-pane --left"
"prefix Left" = { run = "resize-pane --left", repeat = true, about = "narrower" }
"M-z" = "zoom-pane"
"prefix x" = ""
"prefix y" = "zoom-pain"
"prefix Entr" = "zoom-pane"
"prefix k" = { rum = "zoom-pane" }
"#;
        let (config, mistakes) = Config::parse(text, &[]);
        let bound = |key: &str| config.keys.find(key.parse().unwrap()).map(|found| found.command.as_ref());
        assert_eq!((bound("h"), bound("x")), (Some("focus-pane --left"), None));
        assert_eq!(bound("Left"), Some("resize-pane --left"));
        assert_eq!(config.keys.find_bare("M-z".parse().unwrap()).unwrap().command, "zoom-pane");
        assert_eq!(
            mistakes,
            [
                "config.toml, line 7: `prefix y`: Unknown command `zoom-pain`; did you mean `zoom-pane`?",
                "config.toml, line 8: no key named `Entr`; did you mean `Enter`?",
                "config.toml, line 9: `prefix k` has no `rum`; did you mean `run`?",
            ]
        );
    }
}
