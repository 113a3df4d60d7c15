//! The section `[hooks]`: shell commands, and lines of tmux's commands, that the daemon runs when something happens.

use std::fmt;

use toml::de::{DeTable, DeValue};

use crate::document::{EntryResult, LineEnds, RawEntry};
use crate::value::SettingType;
use crate::value::did_you_mean;

/// An event that can have hooks.
#[derive(Debug, Clone, Copy)]
pub struct HookEvent {
    /// Its name.
    pub name: &'static str,
    /// When it happens.
    pub about: &'static str,
    /// tmux's names of hooks for it.
    pub tmux: &'static [&'static str],
}

impl HookEvent {
    /// The event of this name, which may be tmux's.
    pub fn find(name: &str) -> Option<&'static Self> {
        let named = HOOK_EVENTS.iter().find(|event| event.name == name);
        named.or_else(|| HOOK_EVENTS.iter().find(|event| event.tmux.contains(&name)))
    }
}

/// An event that has the same name in tmux, if it has the name there at all.
const fn event(name: &'static str, about: &'static str) -> HookEvent {
    HookEvent { name, about, tmux: &[] }
}

const fn named(name: &'static str, about: &'static str, tmux: &'static [&'static str]) -> HookEvent {
    HookEvent { name, about, tmux }
}

/// The events that can have hooks. The daemon's `hooks/facts.rs` sets the environment variables for each.
pub const HOOK_EVENTS: [HookEvent; 21] = [
    event("session-created", "a session was created"),
    event("session-renamed", "a session got another name"),
    event("session-closed", "a session was closed"),
    event("session-window-changed", "another window of a session was selected"),
    named("window-opened", "a window was opened", &["window-linked"]),
    event("window-renamed", "a window got another name"),
    named("window-closed", "a window was closed", &["window-unlinked"]),
    event("window-pane-changed", "another pane of a window was selected"),
    event("window-layout-changed", "the layout of a window changed"),
    event("pane-opened", "a pane was opened"),
    named("pane-exited", "the program of a pane ended", &["pane-exited", "pane-died"]),
    event("pane-closed", "a pane was closed"),
    event("client-attached", "a client attached to a session"),
    event("client-session-changed", "a client shows another session"),
    event("client-detached", "a client detached or ended"),
    event("agent-state-changed", "an agent has another state"),
    event("agent-needs-attention", "an agent began to wait for you: it asks, is blocked or has failed"),
    event("message-sent", "a message was stored for its recipients"),
    event("message-undelivered", "messages became dead letters"),
    named("bell", "the bell rang in a pane", &["alert-bell"]),
    event("notification", "a program sent a desktop notification"),
];

/// What a hook does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAction {
    /// It runs a shell command.
    Shell(String),
    /// It runs a line of tmux's commands.
    Tmux(String),
}

impl fmt::Display for HookAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell(command) => f.write_str(command),
            Self::Tmux(line) => write!(f, "tmux: {line}"),
        }
    }
}

/// The field of an action that is a line of tmux's commands.
const TMUX: &str = "tmux";

impl SettingType for HookAction {
    fn expected() -> String {
        "a shell command or { tmux = \"LINE\" }".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let line = |fields: &DeTable<'_>| match fields.iter().next() {
            Some((name, line)) if fields.len() == 1 && name.get_ref() == TMUX => {
                line.get_ref().as_str().map(str::to_owned)
            }
            _ => None,
        };
        let read = match value {
            DeValue::String(command) => Some(Self::Shell(command.to_string())),
            DeValue::Table(fields) => line(fields).map(Self::Tmux),
            _ => None,
        };
        read.ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn to_toml(&self) -> Option<toml::Value> {
        Some(match self {
            Self::Shell(command) => toml::Value::String(command.clone()),
            Self::Tmux(line) => {
                toml::Value::Table([(TMUX.to_owned(), line.clone().into())].into_iter().collect())
            }
        })
    }
}

/// The actions of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookActions(pub Vec<HookAction>);

impl SettingType for HookActions {
    fn expected() -> String {
        "a shell command or a list of them, each of which may be { tmux = \"LINE\" }".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let read: Result<Vec<_>, _> = match value.as_array() {
            Some(list) => list.iter().map(|one| HookAction::read(one.get_ref())).collect(),
            None => HookAction::read(value).map(|one| vec![one]),
        };
        read.map(Self).map_err(|_| format!("must be {}", Self::expected()))
    }

    fn to_toml(&self) -> Option<toml::Value> {
        self.0.iter().map(SettingType::to_toml).collect::<Option<_>>().map(toml::Value::Array)
    }
}

/// Reads an entry of `[hooks]`.
pub(crate) fn hook(_: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<HookActions> {
    let names = || HOOK_EVENTS.iter().map(|event| event.name);
    if !names().any(|name| name == entry.name) {
        let near = did_you_mean(entry.name, names());
        return Err((entry.line, format!("\"{}\" is not an event that can have hooks{near}", entry.name)));
    }
    entry.read()
}
