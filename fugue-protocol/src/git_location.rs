//! The git repository and worktree that a pane works in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The git repository, worktree and branch of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GitLocation {
    /// The git repository, which is the same for all its worktrees.
    pub repository: String,
    /// The worktree's root directory.
    pub worktree: String,
    /// The current branch, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub branch: Option<String>,
    /// The URL of the remote `origin`, in one spelling for all ways to reach it. Known only in a fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub remote: Option<String>,
}
