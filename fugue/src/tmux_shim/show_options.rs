//! `show-options`: what was set, and what holds otherwise.

use super::flags::ShimFlags;
use super::option_store::{GLOBAL, Options, inherited, is_known, rows};
use super::set_options::{SYNCHRONIZE, scope};
use super::shim::{Outcome, Shim, Speaker};
use crate::tmux_settings;

/// `show-options`
pub(super) fn show(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let global = given.has('g') || given.has('s');
    if shim.speaker == Speaker::Person && given.operands == [SYNCHRONIZE] {
        let shown = show_synchronized(shim, given);
        return if given.has('q') { Ok(shown.unwrap_or_default()) } else { shown };
    }
    let scope =
        scope(shim, given).or_else(|why| if given.has('q') { Ok(GLOBAL.into()) } else { Err(why) })?;
    let options = Options::load(shim);
    let line = |name: &str, value: &str| match given.has('v') {
        true => value.to_owned(),
        false => format!("{name} {}", quoted(value)),
    };
    if let Some(name) = given.operands.first() {
        let inherits = global || given.has('A');
        let inherited =
            || if inherits { options.get(GLOBAL, name).or_else(|| inherited(shim, name)) } else { None };
        let is_missing = inherits && shim.speaker == Speaker::Person && !name.starts_with('@');
        return match options.get(&scope, name).or_else(inherited) {
            Some(value) => Ok(line(name, &value)),
            None if is_missing && is_known(name) && !given.has('q') => Err(no_value(name)),
            None if given.has('q') || is_known(name) => Ok(String::new()),
            None => Err(format!("invalid option: {name}")),
        };
    }
    let mut all = options.of_scope(&scope);
    if global {
        let wanted = match (given.has('s'), given.has('w')) {
            (true, _) => "server",
            (_, true) => "window",
            _ => "session",
        };
        for (_, name, _) in rows().filter(|(scope, ..)| *scope == wanted) {
            if let Some(value) = inherited(shim, name).filter(|_| !all.contains_key(name)) {
                all.insert(name.to_owned(), value);
            }
        }
    }
    Ok(all.iter().map(|(name, value)| line(name, value)).collect::<Vec<_>>().join("\n"))
}

/// Whether the panes of a window share their input, which only the client that sends it knows.
fn show_synchronized(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    if shim.at.is_none() {
        return Err(format!(
            "only an attached client knows {SYNCHRONIZE}\nhint: run `show -w {SYNCHRONIZE}` at its prompt"
        ));
    }
    let at = shim.pane(given)?;
    let value = if shim.synchronized.contains(&at.pane) { "on" } else { "off" };
    Ok(if given.has('v') { value.to_owned() } else { format!("{SYNCHRONIZE} {value}") })
}

/// A value as `show-options` prints it.
fn quoted(value: &str) -> String {
    match value {
        "" => "''".to_owned(),
        value if value.contains([' ', '#', ';', '"', '$', '\'']) => {
            format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$"))
        }
        value => value.to_owned(),
    }
}

/// Why a person is shown no value of an option.
fn no_value(name: &str) -> String {
    match tmux_settings::setting_of(name) {
        Some((section, key)) => {
            let section = section.map(|section| format!("[{section}] ")).unwrap_or_default();
            format!(
                "{name} cannot be expressed in tmux's format\nhint: `fugue config show` prints the setting: {section}{key}"
            )
        }
        None => format!("fugue has no {name}"),
    }
}
