//! Sessions: create, rename, tag and kill them, and store data with them.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NewWorktree, Program};
use crate::{ConfinementName, FleetHost, PaneRef, SessionName, SessionRef, Size, Tag, WindowName};

/// List all fugue sessions with their windows and panes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[command(about = "List sessions")]
#[serde(default)]
pub struct ListSessions {
    /// Show only this session, with all details: full ids, sizes, directories, metadata and git branch.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

impl ListSessions {
    pub(super) const NOTE: &'static str = "Sessions are shown by name, windows by name or index, and panes by the last \
        digits of their id; every tool accepts these. Omitted fields have their default values: running, not active, \
        no tags.";
}

/// Create a session with one window and one pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct CreateSession {
    /// Session name. Defaults to the worktree's branch, or to the next free number.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub name: Option<SessionName>,
    /// Name of the first window. Defaults to the program's name.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub window_name: Option<WindowName>,
    /// Tags that messages can be addressed to.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<Tag>,
    /// Size in columns and rows, such as 80x24.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub size: Option<Size>,
    /// A git worktree to create for the session; its program starts there.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NewWorktree")]
    pub worktree: Option<NewWorktree>,
    /// Confinement profile, such as worktree.
    #[arg(long, value_name = "PROFILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ConfinementName")]
    pub confine: Option<ConfinementName>,
    /// Close the session when the program in this pane exits.
    #[arg(long, value_name = "PANE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub close_with: Option<PaneRef>,
    /// Fleet host to create the session on, if that host allows it. Paths are on that host.
    #[arg(id = "on_host", long = "on", value_name = "HOST")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FleetHost")]
    pub host: Option<FleetHost>,
    /// The program to start. The environment applies to everything started in the session.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

impl CreateSession {
    pub(super) const NOTE: &'static str = "The ids in the reply can be used right away.";
}

/// Rename a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RenameSession {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The new name.
    pub name: SessionName,
}

/// Set the default session for commands outside any pane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SelectSession {
    /// Session name or UUID.
    pub session: SessionRef,
}

/// Kill a session and everything running in it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct KillSession {
    /// Session name or UUID. Required, because a killed session cannot be restored.
    #[arg(long, short = 's', short_alias = 't')]
    pub session: SessionRef,
}

/// The help of `--add` at a shell, where tags are separate words.
const ADD_TAGS: &str = "Tags to add, such as `orchestrator`. Agents cannot add `child:NAME`, which marks a session as a child of NAME";

/// Add or remove tags on a session for routing purposes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[command(about = "Add or remove a session's tags")]
#[serde(default)]
pub struct SetTags {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Tags to add (e.g., ['orchestrator', 'primary']). Agents cannot add the tag `child:NAME`, which marks a session
    /// as a child of NAME.
    #[arg(long, value_name = "TAG", num_args = 1.., help = ADD_TAGS)]
    pub add: Vec<Tag>,
    /// Tags to remove.
    #[arg(long, value_name = "TAG", num_args = 1..)]
    pub remove: Vec<Tag>,
}

/// Get tags from a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetTags {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Set or remove an entry in a session's metadata.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SetMetadata {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The key.
    pub key: String,
    /// The value. If omitted, the key is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
}

/// Get metadata from a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetMetadata {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Return only this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub key: Option<String>,
}

/// Set or remove a session environment variable.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SetEnvironment {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// The name of the variable.
    pub name: String,
    /// The value. If omitted, the variable is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
}

/// Get environment variables from a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetEnvironment {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Set or remove a global environment variable.
///
/// Programs started afterward inherit it, unless their session sets a variable of the same name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SetGlobalEnvironment {
    /// The name of the variable.
    pub name: String,
    /// The value. If omitted, the variable is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
}

/// Get global environment variables.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetGlobalEnvironment {}
