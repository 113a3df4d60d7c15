//! The key bindings, as rows: tmux's defaults after the prefix, and fugue's own. A command is a verb's command line or
//! one of the client's own; `{…}` is a placeholder. The last text of a row describes it.

use std::borrow::Cow;
use std::time::Duration;

use fugue_config::KeyTable;
use fugue_screen::keys::Key;

use crate::command::client_commands::is_own;

/// How long a repeating key needs no prefix after the last one, as in tmux.
const REPEAT: Duration = Duration::from_millis(500);

/// The default prefix.
pub(crate) const PREFIX: &str = "C-b";

/// The command that starts the lost programs of the session again; lost panes name its key.
pub(crate) const RESTORE: &str = "restore-panes -s {session-name}";

/// The command that closes the pane after a question; panes whose program has exited name its key.
pub(crate) const CONFIRM_CLOSE: &str = "confirm close-pane";

/// One key binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) key: Key,
    /// The table that it is in. A key of the root table never reaches a pane.
    pub(crate) table: KeyTable,
    pub(crate) command: Cow<'static, str>,
    /// It may be pressed again at once without the prefix.
    pub(crate) repeats: bool,
    pub(crate) about: Cow<'static, str>,
}

/// The key bindings in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keys {
    prefix: Key,
    /// Another prefix.
    pub(crate) prefix2: Option<Key>,
    /// How long a key that repeats needs no prefix after the last one.
    pub(crate) repeat: Duration,
    pub(crate) bindings: Vec<Binding>,
    /// Keys that need no prefix. Every key that is typed is looked up here first.
    bare: Vec<Key>,
}

impl Default for Keys {
    fn default() -> Self {
        let prefix = PREFIX.parse().unwrap_or(Key::plain(fugue_screen::keys::Code::Escape));
        let bindings = default_bindings().filter_map(|row| {
            let key = row.key.parse().ok()?;
            let (command, about) = (row.command.into(), row.about.into());
            Some(Binding { key, table: KeyTable::Prefix, command, repeats: row.repeats, about })
        });
        Self { prefix, prefix2: None, repeat: REPEAT, bindings: bindings.collect(), bare: Vec::new() }
    }
}

impl Keys {
    pub(crate) fn prefix(&self) -> Key {
        self.prefix
    }

    /// Whether a key is one of the prefixes.
    pub(crate) fn is_prefix(&self, key: Key) -> bool {
        key == self.prefix || Some(key) == self.prefix2
    }

    /// Changes the prefix. Pressed twice, the new one is sent to the program.
    pub(crate) fn set_prefix(&mut self, key: Key) {
        if key == self.prefix {
            return;
        }
        let old = std::mem::replace(&mut self.prefix, key);
        let is_at = |binding: &Binding, key| binding.table == KeyTable::Prefix && binding.key == key;
        self.bindings.retain(|binding| !is_at(binding, key));
        let own = self.bindings.iter_mut().find(|binding| is_at(binding, old));
        if let Some(own) = own.filter(|own| own.command == "send-prefix") {
            (own.key, own.about) = (key, format!("send {key} to program").into());
        }
    }

    /// Binds a key, or unbinds it when the command is empty.
    pub(crate) fn bind(&mut self, binding: Binding) {
        let same = |other: &Binding| other.key == binding.key && other.table == binding.table;
        let at = self.bindings.iter().position(same);
        match (at, binding.command.is_empty()) {
            (Some(at), true) => drop(self.bindings.remove(at)),
            (Some(at), false) => self.bindings[at] = binding,
            (None, true) => {}
            (None, false) => self.bindings.push(binding),
        }
        let bare = self.bindings.iter().filter(|binding| binding.table == KeyTable::Root);
        self.bare = bare.map(|binding| binding.key).collect();
    }

    /// The binding of a key in a table.
    pub(crate) fn find(&self, table: &KeyTable, key: Key) -> Option<&Binding> {
        if *table == KeyTable::Root && !self.bare.contains(&key) {
            return None;
        }
        self.bindings.iter().find(|binding| binding.table == *table && binding.key == key)
    }

    /// Whether a table has any keys.
    pub(crate) fn has(&self, table: &KeyTable) -> bool {
        matches!(table, KeyTable::Root | KeyTable::Prefix)
            || self.bindings.iter().any(|binding| binding.table == *table)
    }

    /// The keys to press for a binding.
    pub(crate) fn name(&self, binding: &Binding) -> String {
        match &binding.table {
            KeyTable::Prefix => format!("{} {}", self.prefix, binding.key),
            KeyTable::Root => binding.key.to_string(),
            KeyTable::Own(table) => format!("{table}: {}", binding.key),
        }
    }

    /// The keys to press for a command, if one is bound to it in a table that needs not be selected first.
    pub(crate) fn of(&self, command: &str) -> Option<String> {
        let is_reached = |binding: &&Binding| !matches!(binding.table, KeyTable::Own(_));
        let found = self.bindings.iter().filter(is_reached).find(|binding| binding.command == command);
        found.map(|binding| self.name(binding))
    }

    /// Replaces a command in angle brackets by the key that runs it: with the default keys `<mark>` becomes `C-b m`. A
    /// command that no key runs is named itself.
    pub(crate) fn name_keys(&self, text: &str) -> String {
        let parts = text.split_once('<').and_then(|(before, rest)| Some((before, rest.split_once('>')?)));
        match parts.filter(|(_, (command, _))| is_own(command)) {
            Some((before, (command, after))) => {
                let key = self.of(command).unwrap_or_else(|| format!("`{command}`"));
                format!("{before}{key}{after}")
            }
            None => text.to_owned(),
        }
    }

    /// The description of a command, if a key is bound to it.
    pub(crate) fn about(&self, command: &str) -> Option<&str> {
        self.bindings.iter().find(|binding| binding.command == command).map(|binding| binding.about.as_ref())
    }

    /// Describes a key.
    pub(crate) fn describe(&self, key: Key) -> String {
        match self.find(&KeyTable::Prefix, key).or_else(|| self.find(&KeyTable::Root, key)) {
            Some(binding) => format!("{}: {} ({})", self.name(binding), binding.about, binding.command),
            None => format!("{} {key} is not bound", self.prefix),
        }
    }
}

/// A default binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BindingRow {
    pub(crate) key: &'static str,
    pub(crate) command: &'static str,
    pub(crate) repeats: bool,
    pub(crate) about: &'static str,
}

const fn once(key: &'static str, command: &'static str, about: &'static str) -> BindingRow {
    BindingRow { key, command, repeats: false, about }
}

const fn again(key: &'static str, command: &'static str, about: &'static str) -> BindingRow {
    BindingRow { key, command, repeats: true, about }
}

/// The default bindings after the prefix, grouped by task.
pub(crate) const GROUPS: &[(&str, &[BindingRow])] = &[
    (
        "Panes",
        &[
            once("%", "create-pane --right", "split: new pane on the right"),
            once("\"", "create-pane --below", "split: new pane below"),
            again("Up", "focus-pane --above --wrap", "pane above"),
            again("Down", "focus-pane --below --wrap", "pane below"),
            again("Left", "focus-pane --left --wrap", "pane on the left"),
            again("Right", "focus-pane --right --wrap", "pane on the right"),
            once("o", "focus-pane -t {next-pane}", "next pane"),
            once(";", "focus-pane -t {last-pane}", "last active pane"),
            once("q", "display-panes", "show pane numbers; press one to go there"),
            once("x", CONFIRM_CLOSE, "close pane"),
            once("z", "zoom-pane", "zoom or unzoom pane"),
            once("{", "swap-panes --with {previous-pane}", "swap with previous pane"),
            once("}", "swap-panes --with {next-pane}", "swap with next pane"),
            once("R", RESTORE, "restart this session's lost programs"),
            once("!", "break-pane", "move pane to a new window"),
            once("m", "mark", "mark or unmark pane"),
            once("M", "unmark", "clear mark"),
            once(">", "pane-menu", "pane menu"),
            once("i", "info", "pane information"),
        ],
    ),
    (
        "Layouts and sizes",
        &[
            once("Space", "select-layout {next-layout}", "next layout"),
            once("E", "tmux select-layout -E", "even out pane sizes"),
            once("M-1", "select-layout even-horizontal", "layout: side by side"),
            once("M-2", "select-layout even-vertical", "layout: stacked"),
            once("M-3", "select-layout main-horizontal", "layout: main pane on top"),
            once("M-4", "select-layout main-vertical", "layout: main pane on the left"),
            once("M-5", "select-layout tiled", "layout: tiled"),
            once("C-o", "rotate-panes --backward", "rotate panes backward"),
            once("M-o", "rotate-panes", "rotate panes forward"),
            again("C-Up", "resize-pane --above --by 1", "move border up"),
            again("C-Down", "resize-pane --below --by 1", "move border down"),
            again("C-Left", "resize-pane --left --by 1", "move border left"),
            again("C-Right", "resize-pane --right --by 1", "move border right"),
            again("M-Up", "resize-pane --above --by 5", "move border up by 5"),
            again("M-Down", "resize-pane --below --by 5", "move border down by 5"),
            again("M-Left", "resize-pane --left --by 5", "move border left by 5"),
            again("M-Right", "resize-pane --right --by 5", "move border right by 5"),
        ],
    ),
    (
        "Windows",
        &[
            once("c", "create-window", "new window"),
            once("n", "select-window -w {next-window}", "next window"),
            once("p", "select-window -w {previous-window}", "previous window"),
            once("l", "select-window -w {last-window}", "last active window"),
            once("0", "select-window -w 0", "window 0"),
            once("1", "select-window -w 1", "window 1"),
            once("2", "select-window -w 2", "window 2"),
            once("3", "select-window -w 3", "window 3"),
            once("4", "select-window -w 4", "window 4"),
            once("5", "select-window -w 5", "window 5"),
            once("6", "select-window -w 6", "window 6"),
            once("7", "select-window -w 7", "window 7"),
            once("8", "select-window -w 8", "window 8"),
            once("9", "select-window -w 9", "window 9"),
            once(
                "'",
                "ask 'Go to window: ' '' 'select-window -w {answer}'",
                "go to window by name or number",
            ),
            once("w", "choose-tree", "choose window or pane"),
            once(
                "f",
                "ask 'Find: ' '' 'find-window -- {answer}'",
                "find window by name, title or visible text",
            ),
            once(",", "ask 'Rename window: ' {window-name} 'rename-window -- {answer}'", "rename window"),
            once(".", "ask 'Move window to: ' '' 'move-window -t {answer}'", "move window"),
            once(
                "W",
                "ask 'Swap with window: ' '' 'swap-windows --with {answer}'",
                "swap with another window",
            ),
            once("&", "confirm kill-window", "kill window"),
            once("<", "window-menu", "window menu"),
        ],
    ),
    (
        "Sessions and clients",
        &[
            once("s", "choose-tree --sessions", "choose session"),
            once("(", "attach {previous-session}", "previous session"),
            once(")", "attach {next-session}", "next session"),
            once("L", "attach {last-session}", "last active session"),
            once("$", "ask 'Rename session: ' {session-name} 'rename-session -- {answer}'", "rename session"),
            once("d", "detach", "detach; programs keep running"),
            once("D", "choose-client", "list attached clients; Enter detaches one"),
            once("C-z", "suspend", "suspend client"),
            once("r", "redraw", "redraw"),
        ],
    ),
    (
        "Copy and paste",
        &[
            once("[", "copy-mode", "copy mode: scroll, search and copy"),
            once("PageUp", "copy-mode --up", "copy mode, one page up"),
            once("F", "hints", "label links and paths to copy or open"),
            once("]", "paste-buffer", "paste newest buffer"),
            once("=", "choose-buffer", "choose buffer to paste"),
            once("#", "choose-buffer", "list buffers"),
            once("-", "delete-buffer", "delete newest buffer"),
            once("y", "allow-copy", "allow a program to copy to the clipboard"),
            once("e", "edit-history", "open scrollback in $EDITOR"),
        ],
    ),
    (
        "Agents and messages",
        &[
            once("a", "next-agent", "next agent that failed or needs attention"),
            once("Tab", "go-back", "return to the pane you came from"),
            once("A", "agents", "list agents and their states"),
            once("b", "sidebar", "show or hide sidebar"),
            once("u", "messages", "list messages between agents"),
            once("M-n", "select-window -w {next-alert}", "next window with an alert"),
            once("M-p", "select-window -w {previous-alert}", "previous window with an alert"),
            once("M-m", "mute", "mute or unmute pane"),
        ],
    ),
    (
        "Commands and help",
        &[
            once(":", "command-prompt", "command prompt"),
            once("P", "palette", "find command, pane or agent"),
            once("?", "help", "list keys"),
            once("/", "describe-key", "describe key"),
            once("~", "show-messages", "show past status messages"),
            once("t", "clock", "show time"),
            once("C-b", "send-prefix", "send C-b to program"),
        ],
    ),
];

/// The default bindings, without their groups.
pub(crate) fn default_bindings() -> impl Iterator<Item = &'static BindingRow> {
    GROUPS.iter().flat_map(|(_, rows)| *rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_valid_and_listed_once() {
        for (at, binding) in default_bindings().enumerate() {
            let key: Key = binding.key.parse().expect(binding.key);
            let first = default_bindings().position(|other| other.key.parse() == Ok(key));
            assert_eq!(first, Some(at), "{key}");
        }
    }

    #[test]
    fn every_description_fits_into_its_column() {
        for binding in default_bindings() {
            assert!(binding.about.len() <= 42, "{}", binding.about);
        }
    }

    #[test]
    fn a_command_in_angle_brackets_becomes_the_key_that_runs_it() {
        let mut keys = Keys::default();
        assert_eq!(
            keys.name_keys("No pane is marked (press <mark> to mark one)"),
            "No pane is marked (press C-b m to mark one)"
        );
        keys.set_prefix("C-a".parse().unwrap());
        assert_eq!(keys.name_keys("<mark>"), "C-a m");
        assert_eq!(keys.name_keys("<reload> or <FILE>"), "`reload` or <FILE>", "no key runs it");
        assert_eq!(keys.name_keys("--by <N>"), "--by <N>", "not a command");
    }
}
