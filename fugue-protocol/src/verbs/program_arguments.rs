//! The program of a new pane: the arguments shared by all verbs that start one.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::views::OnExit;

/// A program to start.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Program {
    /// Working directory; may be relative or begin with `~`. Defaults to the current pane's, otherwise to
    /// yours.
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

/// `NAME=VALUE` on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue(pub String, pub String);

impl FromStr for KeyValue {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
        Ok(Self(name.to_owned(), value.to_owned()))
    }
}

/// Entries as an object of a request.
pub(super) mod entries {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::KeyValue;

    pub(crate) fn serialize<S: Serializer>(entries: &[KeyValue], out: S) -> Result<S::Ok, S::Error> {
        entries.iter().map(|KeyValue(name, value)| (name, value)).collect::<BTreeMap<_, _>>().serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<KeyValue>, D::Error> {
        let map = BTreeMap::<String, String>::deserialize(from)?;
        Ok(map.into_iter().map(|(name, value)| KeyValue(name, value)).collect())
    }
}
