//! What a new pane runs: the part that every verb that starts something has in common.

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
    /// Working directory; that of the pane it comes from, or of the caller, when left out.
    #[arg(long, short = 'c')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// Environment, as NAME=VALUE.
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE")]
    #[serde(with = "entries", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: Vec<KeyValue>,
    /// What becomes of the pane when its program ends: close, keep, or keep-failed.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OnExit")]
    pub on_exit: Option<OnExit>,
    /// A command line for the shell; the user's shell itself when left out.
    #[arg(long, conflicts_with = "argv")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// Or a program and its words, run as they are.
    #[arg(last = true, value_name = "WORDS")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
}
