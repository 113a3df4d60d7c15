//! Options that tmux's commands set and fugue only keeps: those of programs, and those whose names begin with `@`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OptionScope;

/// Set or remove an option of tmux's commands.
///
/// `set-option` does this for options that are not settings of fugue. An option ends with the session, window or pane
/// that it was set for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ChangeOption {
    /// What it is set for: global, session:ID, window:ID or pane:ID.
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
    /// Change nothing if the option is set in this scope.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_unset: bool,
}

/// List the options that tmux's commands have set.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListOptions {}
