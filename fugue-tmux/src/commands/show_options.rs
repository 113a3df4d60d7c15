//! `show-options`: what was set, and what holds otherwise.

use std::collections::BTreeMap;

use fugue_protocol::OptionScope;

use super::set_options::scope;
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::options::{SYNCHRONIZE, is_known, rows};

/// `show-options`
pub(super) async fn show(cx: &mut LineContext, given: &Flags) -> Outcome {
    let global = given.has('g') || given.has('s');
    if cx.is_person() && given.operands == [SYNCHRONIZE] {
        let shown = show_synchronized(cx, given);
        return if given.has('q') { Ok(shown.unwrap_or_default()) } else { shown };
    }
    let scope =
        scope(cx, given).or_else(|why| if given.has('q') { Ok(OptionScope::Global) } else { Err(why) })?;
    cx.read_options().await?;
    let line = |name: &str, value: &str| match given.has('v') {
        true => format!("{value}\n"),
        false => format!("{name} {}\n", quoted(value)),
    };
    if let Some(name) = given.operands.first() {
        let inherits = global || given.has('A');
        let is_missing = inherits && cx.is_person() && !name.starts_with('@');
        let value = match cx.option(scope, name) {
            None if inherits => match cx.option(OptionScope::Global, name) {
                None => cx.inherited(name).await?,
                set => set,
            },
            set => set,
        };
        return match value {
            Some(value) => Ok(line(name, &value)),
            None if is_missing && is_known(name) && !given.has('q') => Err(no_value(cx, name)),
            None if given.has('q') || is_known(name) => Ok(String::new()),
            None => Err(format!("invalid option: {name}")),
        };
    }
    let mut all: BTreeMap<String, String> = cx.options_of(scope);
    if global {
        let wanted = match (given.has('s'), given.has('w')) {
            (true, _) => "server",
            (_, true) => "window",
            _ => "session",
        };
        for (_, name, _) in rows().filter(|(scope, ..)| *scope == wanted) {
            if !all.contains_key(name)
                && let Some(value) = cx.inherited(name).await?
            {
                all.insert(name.to_owned(), value);
            }
        }
    }
    Ok(all.iter().map(|(name, value)| line(name, value)).collect())
}

/// Whether the panes of a window share their input, which only the client that sends it knows.
fn show_synchronized(cx: &LineContext, given: &Flags) -> Outcome {
    let Some(client) = &cx.setting.client else {
        return Err(format!(
            "only an attached client knows {SYNCHRONIZE}\nhint: run `show -w {SYNCHRONIZE}` at its prompt"
        ));
    };
    let at = cx.pane(given)?;
    let value = if client.synchronized.contains(&at.pane) { "on" } else { "off" };
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
fn no_value(cx: &LineContext, name: &str) -> String {
    match cx.setting.settings.place(name) {
        Some(place) => format!(
            "{name} cannot be expressed in tmux's format\nhint: `fugue config show` prints the setting: {place}"
        ),
        None => format!("fugue has no {name}"),
    }
}
