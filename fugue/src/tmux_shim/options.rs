//! tmux's options. fugue has settings of its own, so setting one succeeds without effect, and asking for one that
//! programs ask for is answered with what holds here.

use super::flags::ParsedFlags;
use super::{Outcome, Shim};

/// What holds in fugue.
const VALUES: [(&str, &str); 8] = [
    ("allow-passthrough", "off"),
    ("default-terminal", "xterm-256color"),
    ("extended-keys", "on"),
    ("focus-events", "on"),
    ("mouse", "on"),
    ("set-clipboard", "external"),
    ("status", "off"),
    ("status-position", "bottom"),
];

/// Returns the value of an option.
pub(super) fn value(name: &str) -> Option<&'static str> {
    VALUES.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// `set-option`
pub(super) fn set(_: &mut Shim, _: &ParsedFlags) -> Outcome {
    Ok(String::new())
}

/// `show-options`
pub(super) fn show(_: &mut Shim, given: &ParsedFlags) -> Outcome {
    let line = |(name, value): &(&str, &str)| match given.has('v') {
        true => (*value).to_owned(),
        false => format!("{name} {value}"),
    };
    match given.operands.first() {
        None => Ok(VALUES.iter().map(line).collect::<Vec<_>>().join("\n")),
        Some(name) => match VALUES.iter().find(|(known, _)| known == name) {
            Some(option) => Ok(line(option)),
            None if given.has('q') || name.starts_with('@') => Ok(String::new()),
            None => Err(format!("invalid option: {name}")),
        },
    }
}
