//! The values of tmux's options: which ones an option takes, and what they are in `config.toml`.

use fugue_screen::keys::Key;
use toml::Value;

use super::{status_format, styles};

/// The values that an option takes.
#[derive(Clone, Copy)]
pub(super) enum OptionValue {
    Flag,
    Key,
    Number,
    /// A number of seconds that is not zero.
    Seconds,
    Text,
    /// A program without arguments.
    Program,
    Style,
    /// One of tmux's words, each with the value of the setting.
    Word(&'static [(&'static str, &'static str)]),
    /// One of tmux's words, each of which turns the setting on or off.
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
            Self::Key => value.parse::<Key>().ok().map(|_| value.into()),
            Self::Number => number(value, 0),
            Self::Seconds => number(value, 1),
            Self::Text => text(),
            Self::Program => text().filter(|_| !value.contains(char::is_whitespace)),
            Self::Style => styles::style(value).map(Value::from),
            Self::Word(words) => chosen(words, value),
            Self::Switch(words) => chosen(words, value),
            Self::StatusLeft => status_format::left(value),
            Self::StatusRight => status_format::right(value),
            Self::SecondLine => status_format::second_format(value),
        }
    }

    /// What the option takes, as the end of "it takes …".
    pub(super) fn expected(self) -> String {
        match self {
            Self::Flag => "on or off".to_owned(),
            Self::Key => "a key, such as C-a".to_owned(),
            Self::Number => "a number that is not negative".to_owned(),
            Self::Seconds => "a number of seconds that is greater than zero".to_owned(),
            Self::Program => "a program without arguments".to_owned(),
            Self::Style => "a style, such as fg=red,bold".to_owned(),
            Self::Word(words) => alternatives(words),
            Self::Switch(words) => alternatives(words),
            Self::Text => "a text that is not empty".to_owned(),
            Self::StatusLeft | Self::StatusRight | Self::SecondLine => "a format, such as #S".to_owned(),
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

fn chosen<T: Copy + Into<Value>>(words: &[(&str, T)], value: &str) -> Option<Value> {
    words.iter().find(|(tmux, _)| *tmux == value).map(|(_, ours)| (*ours).into())
}

/// The words as "a, b or c".
fn alternatives<T>(words: &[(&str, T)]) -> String {
    let names: Vec<_> = words.iter().map(|(tmux, _)| *tmux).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
