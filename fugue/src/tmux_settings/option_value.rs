//! The values of tmux's options: which ones an option takes, and what they are in `config.toml`.

use fugue_config::alternatives;
use fugue_screen::keys::Key;
use toml::Value;

use super::{status_format, styles};

/// What a style can be.
const STYLE: &str = "a list of fg=COLOR, bg=COLOR and attributes such as bold, \
                     with colors such as red, brightred, colour208 or #ff8700";

/// The values that an option takes.
#[derive(Clone, Copy)]
pub(super) enum OptionValue {
    Flag,
    Key,
    /// A key, or none.
    SpareKey,
    Number,
    /// A number of seconds that is not zero.
    Seconds,
    Text,
    /// A program without arguments.
    Program,
    Style,
    /// The names of environment variables.
    Variables,
    /// One of tmux's words, in its order, each with the value of the setting.
    Word(&'static [(&'static str, &'static str)]),
    /// One of tmux's words, in its order, each of which turns the setting on or off.
    Switch(&'static [(&'static str, bool)]),
    StatusLeft,
    StatusRight,
    SecondLine,
}

impl OptionValue {
    /// The value of the setting; none if the option does not take this value.
    pub(super) fn translate(self, value: &str) -> Option<Value> {
        let text = || Some(Value::from(value)).filter(|_| !value.is_empty());
        match self {
            Self::Flag => flag(value),
            Self::SpareKey if value == "None" => Some(value.into()),
            Self::Key | Self::SpareKey => value.parse::<Key>().ok().map(|_| value.into()),
            Self::Number => number(value, 0),
            Self::Seconds => number(value, 1),
            Self::Text => text(),
            Self::Program => text().filter(|_| !value.contains(char::is_whitespace)),
            Self::Style => styles::style(value).map(Value::from),
            Self::Variables => variables(value),
            Self::Word(words) => chosen(words, value),
            Self::Switch(words) => chosen(words, value),
            Self::StatusLeft => status_format::left(value),
            Self::StatusRight => status_format::right(value),
            Self::SecondLine => status_format::second_format(value),
        }
    }

    /// What the value must be, as the end of "it must be …".
    pub(super) fn expected(self) -> String {
        match self {
            Self::Flag => "on or off".to_owned(),
            Self::Key => "a key, such as C-a".to_owned(),
            Self::SpareKey => "a key, such as C-a, or None".to_owned(),
            Self::Number => "a non-negative integer".to_owned(),
            Self::Seconds => "a positive number of seconds".to_owned(),
            Self::Text => "a non-empty string".to_owned(),
            Self::Program => "a program without arguments".to_owned(),
            Self::Style => STYLE.to_owned(),
            Self::Variables => "names of environment variables, without patterns".to_owned(),
            Self::Word(words) => alternatives(words.iter().map(|(tmux, _)| *tmux)),
            Self::Switch(words) => alternatives(words.iter().map(|(tmux, _)| *tmux)),
            Self::StatusLeft | Self::StatusRight | Self::SecondLine => "a format, such as #S".to_owned(),
        }
    }

    /// A value with another one added to it, as `set -a` does; none if the values are not texts.
    pub(super) fn joined(self, before: &str, added: &str) -> Option<String> {
        match self {
            Self::Style => Some(format!("{before},{added}")),
            Self::Variables => Some(format!("{before} {added}")),
            Self::Text | Self::StatusLeft | Self::StatusRight | Self::SecondLine => {
                Some(format!("{before}{added}"))
            }
            _ => None,
        }
    }

    /// The value that follows the current one if the option is set without a value: flags are toggled, and of several
    /// words only the first two alternate, as in tmux.
    pub(super) fn toggled(self, current: &str) -> Option<&'static str> {
        match self {
            Self::Flag => after(&[("off", false), ("on", true)], current),
            Self::Word(words) => after(words, current),
            Self::Switch(words) => after(words, current),
            _ => None,
        }
    }
}

fn flag(value: &str) -> Option<Value> {
    match value {
        "on" | "yes" | "1" => Some(true.into()),
        "off" | "no" | "0" => Some(false.into()),
        _ => None,
    }
}

fn number(value: &str, least: i64) -> Option<Value> {
    value.parse::<i64>().ok().filter(|number| *number >= least).map(Value::from)
}

/// The names in a list, each once: `set -a` often adds one that is there already.
fn variables(value: &str) -> Option<Value> {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut names: Vec<&str> = Vec::new();
    for name in value.split([' ', ',']).filter(|name| !name.is_empty()) {
        if !is_name(name) {
            return None;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names.into_iter().map(Value::from).collect::<Vec<_>>().into())
}

fn chosen<T: Copy + Into<Value>>(words: &[(&str, T)], value: &str) -> Option<Value> {
    words.iter().find(|(tmux, _)| *tmux == value).map(|(_, ours)| (*ours).into())
}

fn after<T>(words: &[(&'static str, T)], current: &str) -> Option<&'static str> {
    let at = words.iter().position(|(tmux, _)| *tmux == current)?;
    let next = if at < 2 { 1 - at } else { at };
    words.get(next).map(|(tmux, _)| *tmux)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_toggled_as_in_tmux() {
        let border = OptionValue::Switch(&[("off", false), ("top", true), ("bottom", true)]);
        let values = ["off", "top", "bottom", "left"].map(|current| border.toggled(current));
        assert_eq!(values, [Some("top"), Some("off"), Some("bottom"), None]);
        assert_eq!(
            ["off", "on"].map(|current| OptionValue::Flag.toggled(current)),
            [Some("on"), Some("off")]
        );
        assert_eq!(OptionValue::Number.toggled("1"), None);
    }
}
