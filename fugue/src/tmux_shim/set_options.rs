//! `set-option`. A person's options are settings of fugue, and are written to `config.toml`. A program's, and those whose
//! names begin with `@`, are only remembered, so that the program finds what it has set.

use super::clients;
use super::flags::ShimFlags;
use super::option_store::{GLOBAL, Options, is_known, rows};
use super::shim::{Outcome, Shim, Speaker};
use crate::config_edit;
use crate::tmux_settings::{self, Counterpart};

/// The option whose place a command of the client takes.
pub(super) const SYNCHRONIZE: &str = "synchronize-panes";

/// The scope that the flags and the target mean.
pub(super) fn scope(shim: &mut Shim, given: &ShimFlags) -> Result<String, String> {
    if given.has('g') || given.has('s') {
        return Ok(GLOBAL.to_owned());
    }
    let at = shim.pane(given)?;
    Ok(match (given.has('p'), given.has('w')) {
        (true, _) => at.pane.to_string(),
        (_, true) => at.window.to_string(),
        _ => at.session.to_string(),
    })
}

/// Whether a command changes settings or keys.
pub(super) fn is_setting(words: &[String]) -> bool {
    const NAMES: [&str; 4] = ["set-option", "set-window-option", "bind-key", "unbind-key"];
    let full = words.first().and_then(|name| fugue_tui::tmux_full_name(name));
    full.is_some_and(|full| NAMES.contains(&full))
}

/// `set-option`
pub(super) fn set(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let name = given.operand(0);
    if !is_known(name) {
        return if given.has('q') { Ok(String::new()) } else { Err(format!("invalid option: {name}")) };
    }
    let is_persons = shim.speaker == Speaker::Person && !name.starts_with('@');
    if name == SYNCHRONIZE && !shim.clients.is_empty() {
        check_is_shown(shim, given)?;
        return synchronize(shim, given.operands.get(1).map(String::as_str));
    }
    if is_persons {
        check_is_for_all(shim, given, name)?;
    }
    if given.has('u') || given.has('U') {
        return unset(shim, given, name);
    }
    let value = match given.operands.get(1) {
        Some(value) if given.has('F') => shim.expand_here(value)?,
        Some(value) => value.clone(),
        None => toggled(shim, name).ok_or("empty value")?,
    };
    if is_persons {
        return set_setting(shim, given, name, &value);
    }
    remember(shim, given, name, value)
}

/// Refuses a person's option for a single session, window or pane: fugue's settings hold for all of them.
fn check_is_for_all(shim: &mut Shim, given: &ShimFlags, name: &str) -> Result<(), String> {
    let Some(target) = given.target().filter(|_| !given.has('g') && !given.has('s')) else { return Ok(()) };
    shim.pane(given)?;
    let row = rows().find(|(_, known, _)| *known == name);
    let thing = match (given.has('p'), given.has('w'), row) {
        (true, ..) => "pane",
        (_, true, _) | (.., Some(("window", ..))) => "window",
        _ => "session",
    };
    Err(format!(
        "{name} cannot be set for a single {thing} ({target}): it applies to all {thing}s\n\
         hint: use `set-option -g {name} …`"
    ))
}

/// Refuses to synchronize a window that no client shows: the client that shows the panes sends its input to all of them.
fn check_is_shown(shim: &mut Shim, given: &ShimFlags) -> Result<(), String> {
    let Some(target) = given.target() else { return Ok(()) };
    let at = shim.pane(given)?;
    let is_shown =
        shim.views(at).1.active && shim.clients.iter().any(|client| client.session_id == at.session);
    match is_shown {
        true => Ok(()),
        false => Err(format!(
            "{SYNCHRONIZE} works only in a window that a client is showing; no client is showing {target}"
        )),
    }
}

/// The value of an option that is set without one: flags are toggled.
fn toggled(shim: &Shim, name: &str) -> Option<String> {
    let current = Options::load(shim).value(shim, name)?;
    let toggled = match (tmux_settings::toggled(name, &current), current.as_str()) {
        (Some(toggled), _) => toggled,
        (None, "on") => "off",
        (None, "off") => "on",
        _ => return None,
    };
    Some(toggled.to_owned())
}

/// `set-window-option synchronize-panes`: the client that shows the panes sends its input to all of them.
fn synchronize(shim: &mut Shim, value: Option<&str>) -> Outcome {
    match value {
        Some("on" | "yes" | "1") => clients::in_client(shim, "sync-panes on"),
        Some("off" | "no" | "0") => clients::in_client(shim, "sync-panes off"),
        Some(other) => Err(format!("unknown value: {other}")),
        None => clients::in_client(shim, "sync-panes"),
    }
}

/// Sets an option of a person, if fugue has it.
fn set_setting(shim: &Shim, given: &ShimFlags, name: &str, value: &str) -> Outcome {
    match tmux_settings::counterpart(name, value) {
        Counterpart::Entry(_) if given.has('a') => Err(format!(
            "fugue cannot append to {name}\nhint: `set-option -g {name} …` replaces the whole value"
        )),
        Counterpart::Entry(entry) => {
            config_edit::set(&shim.paths.config, std::slice::from_ref(&entry))?;
            Ok(format!("{} in {}", entry.line(), shim.paths.config.display()))
        }
        Counterpart::NotNeeded(why) => Ok(format!("{name} is not needed: {why}")),
        Counterpart::Missing(_) if given.has('q') => Ok(String::new()),
        Counterpart::Missing("") => Err(format!("fugue has no {name}")),
        Counterpart::Missing(instead) => Err(format!("fugue has no {name}: {instead}")),
        Counterpart::Invalid(expected) => {
            Err(format!("fugue cannot set {name} to `{value}`: it must be {expected}"))
        }
    }
}

fn remember(shim: &mut Shim, given: &ShimFlags, name: &str, value: String) -> Outcome {
    let scope = scope(shim, given)?;
    Options::change(shim, |options| {
        let before = options.get(&scope, name);
        if given.has('o') && before.is_some() {
            return if given.has('q') { Ok(String::new()) } else { Err(format!("already set: {name}")) };
        }
        let value = if given.has('a') { before.unwrap_or_default() + &value } else { value };
        options.insert(&scope, name, value)?;
        Ok(String::new())
    })
}

/// Makes an option have its default again.
fn unset(shim: &mut Shim, given: &ShimFlags, name: &str) -> Outcome {
    if shim.speaker == Speaker::Person
        && let Some((section, key)) = tmux_settings::setting_of(name)
    {
        config_edit::remove(&shim.paths.config, section.unwrap_or_default(), key)?;
    }
    let scope = scope(shim, given)?;
    Options::change(shim, |options| {
        options.remove(&scope, name);
        Ok(String::new())
    })
}
