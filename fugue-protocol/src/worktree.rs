//! Git worktrees: one that was created for a session, as the journal stores it, and the one that a pane works in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SessionId, SessionName, Timestamp};

/// A git worktree that was created for a session. It stays when the session is closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Worktree {
    pub path: String,
    pub branch: String,
    /// The repository, which is the same for all its worktrees.
    pub repository: String,
    pub session: SessionId,
    /// The name of the session when it was created.
    pub session_name: SessionName,
    /// The session that asked for it; none if a person outside any pane did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<SessionId>,
    pub created_at: Timestamp,
}

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
