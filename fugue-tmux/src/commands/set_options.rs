//! `set-option`. A person's options are settings of fugue. A program's, and those whose names begin with `@`, are only
//! remembered, so that the program finds what it has set.

use fugue_protocol::OptionScope;
use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::ChangeOption;

use super::{clients, keys};
use crate::command_table::CommandRow;
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::options::{self, SYNCHRONIZE};
use crate::steps::SettingChange;

/// The scope that the flags and the target mean.
pub(super) fn scope(cx: &LineContext, given: &Flags) -> Result<OptionScope, String> {
    if given.has('g') || given.has('s') {
        return Ok(OptionScope::Global);
    }
    let at = cx.pane(given)?;
    Ok(match (given.has('p'), given.has('w')) {
        (true, _) => OptionScope::Pane(at.pane),
        (_, true) => OptionScope::Window(at.window),
        _ => OptionScope::Session(at.session),
    })
}

/// Whether a command changes settings or keys. Options whose names begin with `@` are only remembered.
pub(super) fn is_setting(row: &CommandRow, words: &[String]) -> bool {
    match row.name() {
        "bind-key" | "unbind-key" => true,
        "set-option" | "set-window-option" => {
            !row.parse(words).is_ok_and(|given| given.operand(0).starts_with('@'))
        }
        _ => false,
    }
}

/// `set-option`
pub(super) async fn set(cx: &mut LineContext, given: &Flags) -> Outcome {
    let name = given.operand(0);
    if !options::is_known(name) {
        return if given.has('q') { Ok(String::new()) } else { Err(format!("invalid option: {name}")) };
    }
    let is_persons = cx.is_person() && !name.starts_with('@');
    if name == SYNCHRONIZE && !cx.clients.is_empty() {
        check_is_shown(cx, given)?;
        return synchronize(cx, given.operands.get(1).map(String::as_str)).await;
    }
    if is_persons {
        check_is_for_all(cx, given, name)?;
    }
    if given.has('u') || given.has('U') {
        return unset(cx, given, name).await;
    }
    let value = match given.operands.get(1) {
        Some(value) if given.has('F') => cx.expand_here(value).await?,
        Some(value) => value.clone(),
        None => toggled(cx, given, name).await?.ok_or("empty value")?,
    };
    if is_persons {
        let (append, quiet) = (given.has('a'), given.has('q'));
        return keys::configure(cx, SettingChange::Set { name: name.to_owned(), value, append, quiet }).await;
    }
    let (append, only_unset) = (given.has('a'), given.has('o'));
    let scope = scope(cx, given)?;
    let change = ChangeOption { scope, name: name.to_owned(), value: Some(value), append, only_unset };
    match cx.change_option(&change).await {
        _ if given.has('q') => Ok(String::new()),
        Ok(true) if only_unset => Err(format!("already set: {name}")),
        changed => changed.map(|_| String::new()),
    }
}

/// Refuses a person's option for a single session, window or pane: fugue's settings hold for all of them.
fn check_is_for_all(cx: &LineContext, given: &Flags, name: &str) -> Result<(), String> {
    let Some(target) = given.target().filter(|_| !given.has('g') && !given.has('s')) else { return Ok(()) };
    cx.pane(given)?;
    let row = options::rows().find(|(_, known, _)| *known == name);
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
fn check_is_shown(cx: &LineContext, given: &Flags) -> Result<(), String> {
    let Some(target) = given.target() else { return Ok(()) };
    let at: TargetPlace = cx.pane(given)?;
    let is_shown = cx.views(at).1.active && cx.clients.iter().any(|client| client.session_id == at.session);
    match is_shown {
        true => Ok(()),
        false => Err(format!(
            "{SYNCHRONIZE} works only in a window that a client is showing; no client is showing {target}"
        )),
    }
}

/// The value of an option that is set without one: flags are toggled.
async fn toggled(cx: &mut LineContext, given: &Flags, name: &str) -> Result<Option<String>, String> {
    let scope = scope(cx, given)?;
    cx.read_options().await?;
    let set = cx.option(scope, name).or_else(|| cx.option(OptionScope::Global, name));
    let current = match set {
        Some(set) => Some(set),
        None => cx.inherited(name).await?,
    };
    let Some(current) = current else { return Ok(None) };
    let toggled = match cx.setting.settings.toggled(name, &current) {
        Some(toggled) => Some(toggled),
        None => {
            [("on", "off"), ("off", "on")].into_iter().find(|(from, _)| *from == current).map(|(_, to)| to)
        }
    };
    Ok(toggled.map(str::to_owned))
}

/// `set-window-option synchronize-panes`: the client that shows the panes sends its input to all of them.
async fn synchronize(cx: &LineContext, value: Option<&str>) -> Outcome {
    let line = match value {
        Some("on" | "yes" | "1") => "sync-panes on",
        Some("off" | "no" | "0") => "sync-panes off",
        Some(other) => return Err(format!("unknown value: {other}")),
        None => "sync-panes",
    };
    clients::in_client(cx, line).await
}

/// Makes an option have its default again.
async fn unset(cx: &mut LineContext, given: &Flags, name: &str) -> Outcome {
    if cx.is_person() {
        keys::configure(cx, SettingChange::Unset(name.to_owned())).await?;
    }
    let (scope, name) = (scope(cx, given)?, name.to_owned());
    let change = ChangeOption { scope, name, value: None, append: false, only_unset: false };
    cx.change_option(&change).await.map(|_| String::new())
}
