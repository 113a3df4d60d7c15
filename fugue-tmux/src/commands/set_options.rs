//! `set-option`. A person's options are settings of fugue. A program's, and those whose names begin with `@`, are only
//! remembered, so that the program finds what it has set.

use std::collections::BTreeMap;

use fugue_protocol::OptionScope;
use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::ChangeOption;

use super::{clients, keys};
use crate::command_table::CommandRow;
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::options::{self, NamedOption, OptionKind, SYNCHRONIZE};
use crate::steps::SettingChange;

/// The scope that the flags and the target mean. `is_window` is for the commands of window options.
pub(super) fn scope(cx: &LineContext, given: &Flags, is_window: bool) -> Result<OptionScope, String> {
    match (given.has('s') || given.has('g'), given.has('p'), is_window || given.has('w')) {
        (true, ..) => Ok(OptionScope::Global),
        (_, true, _) => place(cx, given, "pane").map(|at| OptionScope::Pane(at.pane)),
        (.., true) => place(cx, given, "window").map(|at| OptionScope::Window(at.window)),
        _ => place(cx, given, "session").map(|at| OptionScope::Session(at.session)),
    }
}

/// The scope of an option of this kind: its own, whatever the flags say.
pub(super) fn scope_of(
    cx: &LineContext,
    given: &Flags,
    kind: OptionKind,
    is_window: bool,
) -> Result<OptionScope, String> {
    match kind {
        OptionKind::User => scope(cx, given, is_window),
        OptionKind::Server => Ok(OptionScope::Global),
        _ if given.has('g') => Ok(OptionScope::Global),
        OptionKind::Session => place(cx, given, "session").map(|at| OptionScope::Session(at.session)),
        OptionKind::Pane if given.has('p') => place(cx, given, "pane").map(|at| OptionScope::Pane(at.pane)),
        OptionKind::Window | OptionKind::Pane => {
            place(cx, given, "window").map(|at| OptionScope::Window(at.window))
        }
    }
}

/// The place that `-t` names, or the current one. As in tmux, an option of a session or a window needs no more of a target
/// than that.
fn place(cx: &LineContext, given: &Flags, thing: &str) -> Result<TargetPlace, String> {
    let Some(target) = given.target() else {
        return cx.find(None, TargetKind::Pane).map_err(|_| format!("no current {thing}"));
    };
    let is_enough = |found: TargetKind| match thing {
        "session" => true,
        "window" => found != TargetKind::Session,
        _ => found == TargetKind::Pane,
    };
    let found = cx.part(target).filter(|(_, found)| is_enough(*found));
    found.map(|(at, _)| at).ok_or_else(|| format!("no such {thing}: {target}"))
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
    change(cx, given, false).await
}

/// `set-window-option`
pub(super) async fn set_window(cx: &mut LineContext, given: &Flags) -> Outcome {
    change(cx, given, true).await
}

async fn change(cx: &mut LineContext, given: &Flags, is_window: bool) -> Outcome {
    let option = match options::find(given.operand(0)) {
        Err(_) if given.has('q') => return Ok(String::new()),
        found => found?,
    };
    let name = option.name.as_str();
    if name == SYNCHRONIZE && !cx.clients.is_empty() {
        check_is_shown(cx, given)?;
        return synchronize(cx, given.operands.get(1).map(String::as_str)).await;
    }
    let is_persons = cx.is_person() && option.kind != OptionKind::User;
    if is_persons {
        check_is_for_all(cx, given, &option)?;
    }
    let scope = match scope_of(cx, given, option.kind, is_window) {
        // A person's settings need no session.
        Err(_) if is_persons => OptionScope::Global,
        Err(_) if given.has('q') => return Ok(String::new()),
        scope => scope?,
    };
    cx.read_options().await?;
    if given.has('u') || given.has('U') {
        return unset(cx, given, &option, scope).await;
    }
    let value = match given.operands.get(1) {
        Some(value) if given.has('F') => cx.expand_here(value).await?,
        Some(value) => value.clone(),
        None => toggled(cx, scope, &option).await?.ok_or("empty value")?,
    };
    let append = given.has('a');
    if is_persons {
        let (name, quiet) = (name.to_owned(), given.has('q'));
        return keys::configure(cx, SettingChange::Set { name, value, append, quiet }).await;
    }
    let only_unset = given.has('o');
    match remember(cx, scope, &option, value, append, only_unset).await? {
        true if only_unset && !given.has('q') => Err(format!("already set: {}", given.operand(0))),
        _ => Ok(String::new()),
    }
}

/// Remembers the value of an option. Returns whether it was set before.
async fn remember(
    cx: &mut LineContext,
    scope: OptionScope,
    option: &NamedOption,
    value: String,
    append: bool,
    only_unset: bool,
) -> Result<bool, String> {
    let name = option.name.clone();
    if let Some(separators) = options::separators(&name) {
        let was_set = cx.options_of(scope).keys().any(|set| options::plain(set) == name);
        if !(only_unset && was_set) {
            remember_array(cx, scope, &name, value.split(separators), append).await?;
        }
        return Ok(was_set);
    }
    // The defaults are values of the outermost scope, to which something can be appended; options of the user have none.
    let is_outermost = scope == OptionScope::Global && option.kind != OptionKind::User;
    let inherits = append && is_outermost && cx.option(scope, &name).is_none();
    let before = if inherits { cx.held(scope, &name).await? } else { None };
    let value = Some(before.unwrap_or_default() + &value);
    cx.change_option(&ChangeOption { scope, name, value, append, only_unset }).await
}

/// Remembers the values of an option that has several: those of a text, at the first free indexes.
async fn remember_array<'v>(
    cx: &mut LineContext,
    scope: OptionScope,
    name: &str,
    values: impl Iterator<Item = &'v str>,
    append: bool,
) -> Result<(), String> {
    if !append {
        forget_array(cx, scope, name).await?;
        // Those that the option has by default do not count from now on.
        cx.set_option(scope, name, Some("")).await?;
    }
    let taken = if append { cx.array(scope, name).await? } else { BTreeMap::new() };
    let free = (0..).filter(|index| !taken.contains_key(index));
    for (index, value) in free.zip(values.filter(|value| !value.is_empty())) {
        cx.set_option(scope, &format!("{name}[{index}]"), Some(value)).await?;
    }
    Ok(())
}

/// Forgets all values of an option that has several.
async fn forget_array(cx: &mut LineContext, scope: OptionScope, name: &str) -> Result<(), String> {
    for set in cx.options_of(scope).into_keys().filter(|set| options::plain(set) == name) {
        cx.set_option(scope, &set, None).await?;
    }
    Ok(())
}

/// Refuses a person's option for a single session, window or pane: fugue's settings hold for all of them.
fn check_is_for_all(cx: &LineContext, given: &Flags, option: &NamedOption) -> Result<(), String> {
    let Some(target) = given.target().filter(|_| !given.has('g') && !given.has('s')) else { return Ok(()) };
    cx.pane(given)?;
    let name = &option.name;
    let thing = match (given.has('p'), given.has('w'), option.kind) {
        (true, ..) => "pane",
        (_, true, _) | (.., OptionKind::Window | OptionKind::Pane) => "window",
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
async fn toggled(
    cx: &LineContext,
    scope: OptionScope,
    option: &NamedOption,
) -> Result<Option<String>, String> {
    let name = &option.name;
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

/// Makes an option have its default again. `-U` does so for a window and all of its panes.
async fn unset(cx: &mut LineContext, given: &Flags, option: &NamedOption, scope: OptionScope) -> Outcome {
    if cx.is_person() {
        keys::configure(cx, SettingChange::Unset(option.name.clone())).await?;
    }
    let mut scopes = vec![scope];
    if let (OptionScope::Window(window), true) = (scope, given.has('U')) {
        let windows = cx.sessions.iter().flat_map(|session| &session.windows);
        let panes = windows.filter(|view| view.window_id == window).flat_map(|window| &window.panes);
        scopes.extend(panes.map(|pane| OptionScope::Pane(pane.pane_id)));
    }
    for scope in scopes {
        match option.is_whole_array() {
            true => forget_array(cx, scope, &option.name).await?,
            false => cx.set_option(scope, &option.name, None).await?,
        }
    }
    Ok(String::new())
}
