//! tmux's options. A person's are settings of fugue, and are written to `config.toml`. A program's are only remembered,
//! beside the daemon's socket, so that the program finds what it has set.

use std::collections::BTreeMap;
use std::fs;

use super::flags::ShimFlags;
use super::shim::{Outcome, Shim, Speaker};
use super::{clients, script};
use crate::config_edit;
use crate::tmux_settings::{self, Counterpart};

/// tmux's options with their defaults, as `show-options` prints them after the scope.
const TABLE: &str = include_str!("tmux-options.txt");

/// What holds in fugue instead of tmux's default.
const HOLDS: [(&str, &str); 8] = [
    ("allow-passthrough", "off"),
    ("default-terminal", "xterm-256color"),
    ("extended-keys", "on"),
    ("focus-events", "on"),
    ("mouse", "on"),
    ("set-clipboard", "external"),
    ("status", "off"),
    ("status-position", "bottom"),
];

/// The option whose place a command of the client takes.
const SYNCHRONIZE: &str = "synchronize-panes";

/// The most options that are remembered.
const KEPT: usize = 10_000;

/// The rows of the table: scope, name and value.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    TABLE.lines().filter_map(|line| {
        let (scope, rest) = line.split_once(' ')?;
        let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let holds = HOLDS.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Some((scope, name, holds.unwrap_or_else(|| unquoted(value))))
    })
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> String {
    let commands = script::parse(value, &|_| None).ok();
    let word = commands.and_then(|commands| commands.into_iter().next()?.words.into_iter().next());
    word.filter(|_| value.starts_with(['"', '\''])).unwrap_or_else(|| value.to_owned())
}

fn is_known(name: &str) -> bool {
    let plain = name.split('[').next().unwrap_or(name);
    name.starts_with('@')
        || rows().any(|(_, known, _)| known == name || known.split('[').next() == Some(plain))
}

/// The options that were set, by scope and name.
#[derive(Debug, Default)]
pub(super) struct Options {
    set: BTreeMap<String, String>,
}

/// The scope of an option that holds everywhere.
const GLOBAL: &str = "";

impl Options {
    /// Reads them.
    pub(super) fn load(shim: &Shim) -> Self {
        let text = fs::read_to_string(shim.state_path("options")).unwrap_or_default();
        Self { set: serde_json::from_str(&text).unwrap_or_default() }
    }

    fn store(&self, shim: &Shim) -> Result<(), String> {
        let path = shim.state_path("options");
        let text = serde_json::to_string(&self.set).unwrap_or_default();
        fs::write(&path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))
    }

    /// The value of an option, for a format.
    pub(super) fn value(&self, shim: &Shim, name: &str) -> Option<String> {
        let ends = format!("/{name}");
        let local = self.set.iter().find(|(key, _)| key.ends_with(&ends)).map(|(_, value)| value.clone());
        self.get(GLOBAL, name).or(local).or_else(|| inherited(shim, name))
    }

    fn get(&self, scope: &str, name: &str) -> Option<String> {
        self.set.get(&format!("{scope}/{name}")).cloned()
    }
}

/// The value of an option that was not set: that of the setting in its place. A program also finds tmux's defaults; a
/// person is only shown what holds.
fn inherited(shim: &Shim, name: &str) -> Option<String> {
    let is_program = shim.speaker == Speaker::Program;
    let is_fixed = is_program && name == "status";
    let configured = || tmux_settings::configured(name, &shim.paths.config).filter(|_| !is_fixed);
    let is_shown =
        |known: &str| known == name && (is_program || HOLDS.iter().any(|(held, _)| *held == known));
    configured().or_else(|| rows().find(|(_, known, _)| is_shown(known)).map(|(.., value)| value))
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

/// The scope that the flags and the target mean.
fn scope(shim: &mut Shim, given: &ShimFlags) -> Result<String, String> {
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

/// A flag without a value is turned the other way.
fn toggled(shim: &Shim, name: &str) -> Option<String> {
    match Options::load(shim).value(shim, name)?.as_str() {
        "on" => Some("off".into()),
        "off" => Some("on".into()),
        _ => None,
    }
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
        Counterpart::Invalid => Err(format!("fugue cannot set {name} to {value}")),
    }
}

fn remember(shim: &mut Shim, given: &ShimFlags, name: &str, value: String) -> Outcome {
    let scope = scope(shim, given)?;
    let mut options = Options::load(shim);
    let before = options.get(&scope, name);
    if given.has('o') && before.is_some() {
        return if given.has('q') { Ok(String::new()) } else { Err(format!("already set: {name}")) };
    }
    let value = if given.has('a') { before.unwrap_or_default() + &value } else { value };
    if options.set.len() >= KEPT {
        return Err("too many options".into());
    }
    options.set.insert(format!("{scope}/{name}"), value);
    options.store(shim)?;
    Ok(String::new())
}

/// Makes an option have its default again.
fn unset(shim: &mut Shim, given: &ShimFlags, name: &str) -> Outcome {
    if shim.speaker == Speaker::Person
        && let Some((section, key)) = tmux_settings::setting_of(name)
    {
        config_edit::remove(&shim.paths.config, section.unwrap_or_default(), key)?;
    }
    let scope = scope(shim, given)?;
    let mut options = Options::load(shim);
    options.set.remove(&format!("{scope}/{name}"));
    options.store(shim)?;
    Ok(String::new())
}

/// `show-options`
pub(super) fn show(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let global = given.has('g') || given.has('s');
    if !global && shim.speaker == Speaker::Person && given.operands == [SYNCHRONIZE] {
        return show_synchronized(shim, given);
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
    let prefix = format!("{scope}/");
    let own = options.set.iter().filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
    let mut all: BTreeMap<String, String> =
        own.map(|(name, value)| (name.to_owned(), value.clone())).collect();
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
