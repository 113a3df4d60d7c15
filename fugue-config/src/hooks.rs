//! The section `[hooks]`: shell commands that the daemon runs when something happens.

use toml::de::DeValue;

use crate::document::{Checked, Lines, RawEntry};
use crate::suggestion::did_you_mean;
use crate::value::SettingType;

/// An event that can have hooks.
#[derive(Debug, Clone, Copy)]
pub struct HookEvent {
    /// Its name.
    pub name: &'static str,
    /// When it happens.
    pub about: &'static str,
}

const fn event(name: &'static str, about: &'static str) -> HookEvent {
    HookEvent { name, about }
}

/// The events that can have hooks. The daemon's `hooks/facts.rs` sets the environment variables for each.
pub const HOOK_EVENTS: [HookEvent; 17] = [
    event("session-created", "a session was created"),
    event("session-renamed", "a session got another name"),
    event("session-closed", "a session was closed"),
    event("window-opened", "a window was opened"),
    event("window-renamed", "a window got another name"),
    event("window-closed", "a window was closed"),
    event("pane-opened", "a pane was opened"),
    event("pane-exited", "the program of a pane ended"),
    event("pane-closed", "a pane was closed"),
    event("client-attached", "a client attached to a session"),
    event("client-detached", "a client detached or ended"),
    event("agent-state-changed", "an agent has another state"),
    event("agent-needs-attention", "an agent began to wait for you: it asks, is blocked or has failed"),
    event("message-sent", "a message was stored for its recipients"),
    event("message-undelivered", "messages became dead letters"),
    event("bell", "the bell rang in a pane"),
    event("notification", "a program sent a desktop notification"),
];

/// The commands of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommands(pub Vec<String>);

impl SettingType for HookCommands {
    fn expected() -> String {
        "a shell command or a list of them".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let read = match value {
            DeValue::String(command) => Ok(vec![command.to_string()]),
            list => Vec::<String>::read(list),
        };
        read.map(Self).map_err(|_| format!("must be {}", Self::expected()))
    }

    fn to_toml(&self) -> Option<toml::Value> {
        Some(toml::Value::Array(self.0.iter().cloned().map(toml::Value::String).collect()))
    }
}

/// Reads an entry of `[hooks]`.
pub(crate) fn hook(_: &Lines, entry: &RawEntry<'_>) -> Checked<HookCommands> {
    let names = || HOOK_EVENTS.iter().map(|event| event.name);
    if !names().any(|name| name == entry.name) {
        let near = did_you_mean(entry.name, names());
        return Err((entry.line, format!("\"{}\" is not an event that can have hooks{near}", entry.name)));
    }
    entry.read()
}
