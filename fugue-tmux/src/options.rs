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

/// The rows of the table: scope, name and value.
pub fn rows() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    TABLE.lines().filter_map(|line| {
        let (scope, rest) = line.split_once(' ')?;
        let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let held = held(name).map(str::to_owned);
        Some((scope, name, held.unwrap_or_else(|| unquoted(value))))
    })
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

/// Whether tmux has an option of this name. A person may set any whose name begins with `@`.
pub fn is_known(name: &str) -> bool {
    let plain = name.split('[').next().unwrap_or(name);
    name.starts_with('@')
        || rows().any(|(_, known, _)| known == name || known.split('[').next() == Some(plain))
}

/// The default of an option: a program finds all of tmux's, a person only what holds in fugue.
pub fn default(name: &str, is_program: bool) -> Option<String> {
    let is_shown = |known: &str| known == name && (is_program || held(known).is_some());
    rows().find(|(_, known, _)| is_shown(known)).map(|(.., value)| value)
}
