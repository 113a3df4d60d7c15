//! tmux's options: their defaults, and what holds in fugue instead.

use crate::reader;

/// tmux's options with their defaults, as `show-options` prints them after the scope.
const TABLE: &str = include_str!("options.txt");

/// What holds in fugue instead of tmux's default.
const HOLDS: [(&str, &str); 8] = [
    ("allow-passthrough", "off"),
    ("default-terminal", "xterm-256color"),
    ("extended-keys", "on"),
    ("focus-events", "on"),
    ("mouse", "on"),
    ("set-clipboard", "external"),
    ("status", "off"),
    ("status-position", "bottom"),
];

/// The option that only an attached client knows.
pub const SYNCHRONIZE: &str = "synchronize-panes";

/// The lines of the table: scope, name and value as it is written.
fn lines() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    TABLE.lines().filter_map(|line| {
        let (scope, rest) = line.split_once(' ')?;
        let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
        Some((scope, name, value))
    })
}

/// The names of the table, with the indexes of options that have several values.
pub fn names() -> impl Iterator<Item = &'static str> {
    lines().map(|(_, name, _)| name)
}

/// A value of the table as it holds in fugue.
fn value_of(name: &str, written: &str) -> String {
    held(name).map_or_else(|| unquoted(written), str::to_owned)
}

/// The value that holds in fugue instead of tmux's default.
fn held(name: &str) -> Option<&'static str> {
    HOLDS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> String {
    let commands = reader::parse(value, &|_| None, &|format| Ok(format.to_owned())).ok();
    let word = commands.and_then(|commands| commands.into_iter().next()?.words.into_iter().next());
    word.filter(|_| value.starts_with(['"', '\''])).unwrap_or_else(|| value.to_owned())
}

/// What has values of an option of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// The server.
    Server,
    /// Each session.
    Session,
    /// Each window.
    Window,
    /// Each window and each pane.
    Pane,
    /// Whatever the flags say: the name begins with `@`.
    User,
}

/// An option that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOption {
    /// Its full name, with the index if one was given.
    pub name: String,
    /// What has values of it.
    pub kind: OptionKind,
}

impl NamedOption {
    /// Whether it has several values and none of them is named.
    pub fn is_whole_array(&self) -> bool {
        separators(&self.name).is_some()
    }
}

/// The options of windows that panes have, too.
const OF_PANES: [&str; 14] = [
    "allow-passthrough",
    "allow-rename",
    "allow-set-title",
    "alternate-screen",
    "cursor-colour",
    "cursor-style",
    "pane-border-format",
    "pane-colours",
    "remain-on-exit",
    "remain-on-exit-format",
    "scroll-on-clear",
    "synchronize-panes",
    "window-active-style",
    "window-style",
];

/// The options with several values, and what separates them in a text.
const ARRAYS: [(&str, &[char]); 7] = [
    ("command-alias", &[',']),
    ("pane-colours", &[' ', ',']),
    ("status-format", &[' ', ',']),
    ("terminal-features", &[',']),
    ("terminal-overrides", &[',']),
    ("update-environment", &[' ', ',']),
    ("user-keys", &[',']),
];

/// What separates the values of an option that has several.
pub fn separators(name: &str) -> Option<&'static [char]> {
    ARRAYS.iter().find(|(array, _)| *array == name).map(|(_, separators)| *separators)
}

/// A name without an index.
pub fn plain(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// Whether tmux has an option of this name. A person may set any whose name begins with `@`.
pub fn is_known(name: &str) -> bool {
    name.starts_with('@') || names().any(|known| plain(known) == plain(name))
}

/// The option that a name or an unambiguous beginning of one means. The error says why there is none, in tmux's words.
pub fn find(name: &str) -> Result<NamedOption, String> {
    if name.starts_with('@') {
        return Ok(NamedOption { name: name.to_owned(), kind: OptionKind::User });
    }
    let begins = plain(name);
    let known = |full: &str| full == begins;
    let mut names: Vec<_> = names().map(plain).filter(|row| row.starts_with(begins)).collect();
    names.dedup();
    let full = match names.as_slice() {
        [full] => *full,
        names => match names.iter().find(|full| known(full)) {
            Some(full) => *full,
            None if names.is_empty() => return Err(format!("invalid option: {name}")),
            None => return Err(format!("ambiguous option: {name}")),
        },
    };
    let index = &name[begins.len()..];
    if !index.is_empty() && separators(full).is_none() {
        return Err(format!("not an array: {name}"));
    }
    Ok(NamedOption { name: format!("{full}{index}"), kind: kind(full) })
}

/// What has values of an option of the table.
pub fn kind(name: &str) -> OptionKind {
    let scope = lines().find(|(_, row, _)| plain(row) == plain(name)).map(|(scope, ..)| scope);
    match scope {
        _ if OF_PANES.contains(&plain(name)) => OptionKind::Pane,
        Some("server") => OptionKind::Server,
        Some("window") => OptionKind::Window,
        _ => OptionKind::Session,
    }
}

/// The default of an option: a program finds all of tmux's, a person only what holds in fugue.
pub fn default(name: &str, is_program: bool) -> Option<String> {
    let is_shown = |known: &str| known == name && (is_program || held(known).is_some());
    lines().find(|(_, known, _)| is_shown(known)).map(|(_, known, value)| value_of(known, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Result<(String, OptionKind), String> {
        find(name).map(|option| (option.name, option.kind))
    }

    #[test]
    fn an_unambiguous_beginning_names_an_option_and_the_option_says_what_has_it() {
        assert_eq!(found("status"), Ok(("status".into(), OptionKind::Session)));
        assert_eq!(found("status-inte"), Ok(("status-interval".into(), OptionKind::Session)));
        assert_eq!(found("mode-k"), Ok(("mode-keys".into(), OptionKind::Window)));
        assert_eq!(found("cursor-colour"), Ok(("cursor-colour".into(), OptionKind::Pane)));
        assert_eq!(found("escape-time"), Ok(("escape-time".into(), OptionKind::Server)));
        assert_eq!(found("command-al[7]"), Ok(("command-alias[7]".into(), OptionKind::Server)));
        assert_eq!(found("@anything"), Ok(("@anything".into(), OptionKind::User)));
        assert_eq!(found("status-l"), Err("ambiguous option: status-l".into()));
        assert_eq!(found("frob"), Err("invalid option: frob".into()));
        assert_eq!(found("mouse[1]"), Err("not an array: mouse[1]".into()));
    }

    #[test]
    fn options_with_several_values_and_those_of_panes_are_in_the_table() {
        let is_row = |name: &str| names().any(|row| plain(row) == name);
        let named = ARRAYS.iter().map(|(name, _)| *name).chain(OF_PANES);
        assert_eq!(named.filter(|name| !is_row(name)).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
