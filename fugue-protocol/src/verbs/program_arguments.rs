//! The program of a new pane: the arguments shared by all verbs that start one.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clap_args::{KeyValue, entries};
use crate::views::OnExit;

/// A program to start.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Program {
    /// Working directory; may be relative or begin with `~`. Defaults to the current pane's directory, or the caller's.
    #[arg(long, short = 'c')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// Environment variables to set.
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE")]
    #[serde(with = "entries", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: Vec<KeyValue>,
    /// What happens to the pane when its program exits: close, keep or keep_failed. Agents' panes default to keep_failed.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OnExit")]
    pub on_exit: Option<OnExit>,
    /// Shell command to run. Defaults to an interactive shell.
    #[arg(long, conflicts_with = "argv")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// Program and arguments to run directly, instead of a shell command.
    #[arg(last = true, value_name = "WORDS")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
}
