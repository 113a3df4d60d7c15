//! The program of a new pane: the arguments shared by all verbs that start one.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::custom_arguments::{KeyValue, entries};
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

/// The program that follows another one in its pane. What is not given stays as it was.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct NextProgram {
    /// Working directory; may be relative or begin with `~`. Defaults to the one the pane was opened with.
    #[arg(long, short = 'c')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// Environment variables to set, in addition to the previous ones.
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE")]
    #[serde(with = "entries", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: Vec<KeyValue>,
    /// What happens to the pane when its program exits: close, keep or keep_failed. Defaults to the previous setting.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OnExit")]
    pub on_exit: Option<OnExit>,
    /// Shell command to run. Defaults to the program that ran before.
    #[arg(long, conflicts_with = "argv")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// Program and arguments to run directly, instead of a shell command.
    #[arg(last = true, value_name = "WORDS")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
}

impl From<Program> for NextProgram {
    fn from(Program { cwd, env, on_exit, command, argv }: Program) -> Self {
        Self { cwd, env, on_exit, command, argv }
    }
}

impl From<NextProgram> for Program {
    fn from(NextProgram { cwd, env, on_exit, command, argv }: NextProgram) -> Self {
        Self { cwd, env, on_exit, command, argv }
    }
}
