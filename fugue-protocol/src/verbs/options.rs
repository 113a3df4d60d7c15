//! What tmux's commands set and fugue keeps: options of programs, those whose names begin with `@`, and hooks.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OptionScope;

/// Set or remove a tmux option.
///
/// `set-option` does this for options that are not settings of fugue. An option ends with the session, window or pane
/// that it was set for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ChangeOption {
    /// Scope: global, session:ID, window:ID or pane:ID.
    pub scope: OptionScope,
    /// The name of the option.
    pub name: String,
    /// The value. If omitted, the option is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
    /// Append the value to the current one.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub append: bool,
    /// Do nothing if the option is already set in this scope.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_unset: bool,
}

/// List the tmux options that are set.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListOptions {}

/// Set or remove a tmux command line that runs on an event.
///
/// `set-hook` does this. A hook ends with the session, window or pane that it was set for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ChangeHook {
    /// Scope: global, session:ID, window:ID or pane:ID.
    pub scope: OptionScope,
    /// The event, as listed in hooks.md.
    pub event: String,
    /// The line. If omitted, the hook is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub line: Option<String>,
    /// Index of the line to set or remove. If omitted, the line replaces all lines of the event, or all are removed.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: Option<u32>,
    /// Add the line to the event's other lines.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub append: bool,
}

/// List the hooks set by `set-hook`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListHooks {}
