//! Git worktrees: created for a session, listed and removed.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SessionRef;

/// A git worktree to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct NewWorktree {
    /// Create a git worktree for this branch and start there. The branch is also created if it does not exist.
    #[arg(long = "worktree", value_name = "BRANCH", required = false)]
    pub branch: String,
    /// Start point of a new branch. Defaults to HEAD.
    #[arg(long, value_name = "REF", requires = "branch")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub base: Option<String>,
    /// Path for the new worktree; must not exist yet. Defaults to REPOSITORY.worktrees/BRANCH.
    #[arg(long = "worktree-path", value_name = "PATH", requires = "branch")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub path: Option<String>,
}

/// List worktrees created for sessions, with their state.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListWorktrees {}

/// Remove a worktree that was created for a session.
///
/// Refused if the worktree has uncommitted changes or commits that are not on any other branch or remote, or if a
/// program is running in it. The branch is kept unless you ask to delete it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RemoveWorktree {
    /// The worktree's path.
    #[arg(required_unless_present = "session", conflicts_with = "session")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub path: Option<String>,
    /// The session (name or UUID) that the worktree was created for, instead of its path.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Also delete the branch, if all its commits are on another branch or a remote.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delete_branch: bool,
    /// Skip the safety checks. Allowed only for a user outside any pane.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}
