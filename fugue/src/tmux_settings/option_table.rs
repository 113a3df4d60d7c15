//! tmux's options as rows: the setting of fugue that takes the place of each, or why there is none.

use std::path::Path;

use toml::Value;

use super::option_value::OptionValue::{self, *};
use super::status_format;
use crate::config_edit::{self, ConfigEdit};

/// What an option is in fugue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Counterpart {
    /// This entry of `config.toml`.
    Entry(ConfigEdit),
    /// Nothing has to be set; the text says why.
    NotNeeded(&'static str),
    /// fugue has no such option; the text says what it has instead, if anything.
    Missing(&'static str),
    /// The value is not one of the option's; the text says what it must be, as the end of "it must be …".
    Invalid(String),
}

impl Counterpart {
    /// Why an option cannot be set; none if it can be, or need not be.
    pub(super) fn refusal(&self, name: &str) -> Option<String> {
        match self {
            Self::Entry(_) | Self::NotNeeded(_) => None,
            Self::Missing("") => Some(format!("fugue has no {name}")),
            Self::Missing(instead) => Some(format!("fugue has no {name}: {instead}")),
            Self::Invalid(expected) => {
                Some(format!("fugue cannot set {name} to this value: it must be {expected}"))
            }
        }
    }
}

/// A row: the option, the section and key of the setting, and the values that the option takes.
const SETTINGS: &[(&str, Option<&str>, &str, OptionValue)] = &[
    ("mouse", Some("client"), "mouse", Flag),
    ("prefix", Some("client"), "prefix", Key),
    ("prefix2", Some("client"), "prefix2", SpareKey),
    ("repeat-time", Some("client"), "repeat_time", Number),
    ("status", Some("client"), "status", Flag),
    ("status-left", Some("status"), "left", StatusLeft),
    ("status-right", Some("status"), "right", StatusRight),
    ("status-position", Some("status"), "position", Word(&[("top", "top"), ("bottom", "bottom")])),
    ("status-format[1]", Some("status"), "second_line", SecondLine),
    ("status-interval", Some("status"), "interval", Seconds),
    ("base-index", None, "base_index", Number),
    ("renumber-windows", None, "renumber_windows", Flag),
    ("monitor-activity", None, "monitor_activity", Flag),
    ("monitor-silence", None, "monitor_silence", Number),
    (
        "visual-activity",
        Some("client"),
        "activity_action",
        Word(&[("off", "bell"), ("on", "message"), ("both", "message")]),
    ),
    ("set-titles", Some("client"), "set_titles", Flag),
    ("set-titles-string", Some("client"), "titles_format", Text),
    ("copy-command", Some("client"), "copy_command", Text),
    ("update-environment", Some("client"), "update_environment", Variables),
    ("mode-keys", Some("client"), "copy_keys", Word(&[("emacs", "emacs"), ("vi", "vi")])),
    ("history-limit", None, "history_lines", Number),
    ("automatic-rename", None, "automatic_names", Flag),
    ("default-shell", None, "shell", Program),
    ("default-command", None, "shell", Program),
    ("remain-on-exit", None, "on_exit", Word(&[("off", "close"), ("on", "keep"), ("failed", "keep_failed")])),
    (
        "set-clipboard",
        Some("client"),
        "clipboard",
        Word(&[("off", "off"), ("external", "ask"), ("on", "on")]),
    ),
    (
        "pane-border-status",
        Some("client"),
        "titles",
        Switch(&[("off", false), ("top", true), ("bottom", true)]),
    ),
    (
        "bell-action",
        Some("client"),
        "bell",
        Switch(&[("none", false), ("any", true), ("current", true), ("other", true)]),
    ),
    ("status-style", Some("theme"), "bar", Style),
    ("message-style", Some("theme"), "message", Style),
    ("mode-style", Some("theme"), "chosen", Style),
    ("pane-border-style", Some("theme"), "border", Style),
    ("pane-active-border-style", Some("theme"), "active_border", Style),
    ("copy-mode-match-style", Some("theme"), "match", Style),
    ("copy-mode-current-match-style", Some("theme"), "current_match", Style),
];

/// Options that need not be set.
const NOT_NEEDED: &[(&str, &str)] = &[
    ("aggressive-resize", "a window has the size of the client that last used it"),
    ("allow-passthrough", "clipboard writes and notifications work without it"),
    ("buffer-limit", "50 buffers are kept"),
    ("default-terminal", "panes use xterm-256color with true color"),
    ("escape-time", "a lone Escape is recognized automatically"),
    ("exit-empty", "the daemon keeps running until `fugue shutdown`"),
    ("extended-keys", "sent to programs that request them"),
    ("focus-events", "sent to programs that request them"),
    ("pane-base-index", "panes, like windows, are numbered from `base_index`"),
    ("status-keys", "the prompt has emacs key bindings"),
    ("terminal-features", "terminal features are detected automatically"),
    ("terminal-overrides", "terminal features are detected automatically"),
    ("window-size", "a window has the size of the client that last used it"),
    ("wrap-search", "a search in copy mode always wraps"),
    ("xterm-keys", "keys are always sent with their modifiers"),
];

/// Options that fugue does not have, and what there is instead.
const MISSING: &[(&str, &str)] = &[
    ("synchronize-panes", "in an attached client, `sync-panes` synchronizes the panes of a window"),
    ("status-bg", "set `status-style` to `bg=COLOR`"),
    ("status-fg", "set `status-style` to `fg=COLOR`"),
    ("status-justify", "add `windows` to `left`, `center` or `right` in [status]"),
];

/// The section and key of the setting that takes the place of an option.
pub(crate) fn setting_of(name: &str) -> Option<(Option<&'static str>, &'static str)> {
    SETTINGS.iter().find(|(known, ..)| *known == name).map(|(_, section, key, _)| (*section, *key))
}

/// The value of an option for which its setting has this value.
fn value_for(name: &str, setting: &Value) -> Option<String> {
    const WORDS: [&str; 11] =
        ["on", "off", "top", "bottom", "vi", "emacs", "external", "failed", "both", "any", "none"];
    let (.., values) = SETTINGS.iter().find(|(known, ..)| *known == name)?;
    let own = match setting {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    let mut words = WORDS.into_iter().chain([own.as_str()]);
    words.find(|word| values.translate(word).as_ref() == Some(setting)).map(str::to_owned)
}

/// The value of an option as the configuration has it, or as fugue has it by default.
pub(crate) fn configured(name: &str, config: &Path) -> Option<String> {
    let (section, key) = setting_of(name)?;
    let file = config_edit::read(config).ok().and_then(|text| text.parse::<toml::Table>().ok());
    let set = file.and_then(|file| match section {
        Some(section) => file.get(section)?.get(key).cloned(),
        None => file.get(key).cloned(),
    });
    let is_row = |row: &&fugue_config::Setting| (row.section, row.key) == (section, key);
    let default = || fugue_config::settings().find(is_row).and_then(|row| (row.default)());
    value_for(name, &set.or_else(default)?)
}

/// The value that an option gets if it is set without one.
pub(crate) fn toggled(name: &str, current: &str) -> Option<&'static str> {
    SETTINGS.iter().find(|(known, ..)| *known == name).and_then(|(.., values)| values.toggled(current))
}

/// The value of an option to which `set -a` has added; none if it has no text to add to.
pub(super) fn joined(name: &str, before: &str, added: &str) -> Option<String> {
    SETTINGS.iter().find(|(known, ..)| *known == name).and_then(|(.., values)| values.joined(before, added))
}

/// The counterpart of an option with a value.
pub(crate) fn counterpart(name: &str, value: &str) -> Counterpart {
    if let Some(value) = status_format::second_line(value).filter(|_| name == "status") {
        return Counterpart::Entry(ConfigEdit { section: Some("status"), key: "second_line".into(), value });
    }
    if let Some((_, section, key, values)) = SETTINGS.iter().find(|(known, ..)| *known == name) {
        let entry = values.translate(value).map(|value| ConfigEdit {
            section: *section,
            key: (*key).to_owned(),
            value,
        });
        return entry.map_or_else(|| Counterpart::Invalid(values.expected()), Counterpart::Entry);
    }
    if let Some((_, why)) = NOT_NEEDED.iter().find(|(known, _)| *known == name) {
        return Counterpart::NotNeeded(why);
    }
    let instead = MISSING.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead);
    Counterpart::Missing(instead.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_a_valid_entry() {
        let values =
            ["on", "off", "C-a", "vi", "2", "100", "/bin/sh", "fg=red", "any", "top", "[#S] %H:%M", "A B"];
        for (name, ..) in SETTINGS {
            let entries = values.iter().filter_map(|value| match counterpart(name, value) {
                Counterpart::Entry(entry) => Some(entry),
                _ => None,
            });
            let entries: Vec<_> = entries.collect();
            assert!(!entries.is_empty(), "{name}");
            for entry in entries {
                assert_eq!(
                    config_edit::mistakes(&entry.apply("").expect("valid")),
                    Vec::<String>::new(),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn an_option_has_the_value_of_its_setting() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("config.toml");
        assert_eq!(configured("mouse", &path).as_deref(), Some("on"));
        assert_eq!(configured("base-index", &path).as_deref(), Some("0"));
        let text = "base_index = 1\non_exit = \"keep\"\n[client]\nmouse = false\nprefix = \"C-a\"\n\
                    update_environment = [\"A\", \"B\"]\n";
        std::fs::write(&path, text).expect("written");
        let values = ["mouse", "base-index", "remain-on-exit", "prefix"].map(|name| configured(name, &path));
        assert_eq!(values.map(Option::unwrap_or_default), ["off", "1", "on", "C-a"]);
        assert_eq!(configured("update-environment", &path).as_deref(), Some("A B"));
        assert_eq!(configured("lock-command", &path), None);
    }

    #[test]
    fn an_option_without_a_counterpart_and_a_value_it_does_not_take_say_so() {
        assert_eq!(counterpart("mouse", "maybe"), Counterpart::Invalid("on or off".into()));
        assert_eq!(counterpart("mode-keys", "nano"), Counterpart::Invalid("emacs or vi".into()));
        let border = "off, top or bottom".to_owned();
        assert_eq!(counterpart("pane-border-status", "left"), Counterpart::Invalid(border));
        let bell = "none, any, current or other".to_owned();
        assert_eq!(counterpart("bell-action", "loud"), Counterpart::Invalid(bell));
        assert!(matches!(counterpart("escape-time", "0"), Counterpart::NotNeeded(_)));
        assert_eq!(counterpart("lock-command", "x"), Counterpart::Missing(""));
    }
}
