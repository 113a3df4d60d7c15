//! Sessions: making, naming, ending them, and what is kept with them.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Program;
use crate::{SessionName, SessionRef, Size, Tag, WindowName};

/// List all fugue sessions with their windows and panes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
pub struct ListSessions {}

/// Make a session with one window and one pane, and start a program in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct CreateSession {
    /// Its name; the next free number when left out.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub name: Option<SessionName>,
    /// Name of its first window; the program's name when left out.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub window_name: Option<WindowName>,
    /// Tags, by which messages find the session.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<Tag>,
    /// Columns and rows, as in 80x24.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub size: Option<Size>,
    /// The program, its directory and its environment; the environment holds for everything started in the session.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

impl CreateSession {
    pub(super) const NOTE: &'static str = "The ids in the reply can be used right away.";
}

/// Give a session a new name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RenameSession {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The new name.
    pub name: SessionName,
}

/// Make a session the one that commands outside every pane act on.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SelectSession {
    /// Session name or id.
    pub session: SessionRef,
}

/// End a session and everything that runs in it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct KillSession {
    /// Session name or id. It must be named, since what is ended cannot be had back.
    #[arg(long, short = 's', short_alias = 't')]
    pub session: SessionRef,
}

/// Add or remove tags on a session for routing purposes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SetTags {
    /// Session UUID or name. Uses active session if omitted.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Tags to add (e.g., ['orchestrator', 'primary']). `child:NAME` tells whose child a session is: not for agents.
    #[arg(long, value_name = "TAG", num_args = 1..)]
    pub add: Vec<Tag>,
    /// Tags to remove.
    #[arg(long, value_name = "TAG", num_args = 1..)]
    pub remove: Vec<Tag>,
}

/// Get tags from a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetTags {
    /// Session UUID or name. Uses active session if omitted.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Keep a value with a session under a key, or remove it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SetMetadata {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The key.
    pub key: String,
    /// The value; removed when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
}

/// Show what is kept with a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetMetadata {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// This key alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub key: Option<String>,
}

/// Set a variable for everything that will be started in a session, or remove it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SetEnvironment {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The variable.
    pub name: String,
    /// Its value; removed when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
}

/// Show the variables set for a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetEnvironment {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}
