//! Worktrees of sessions.

use super::*;

/// The worktree that was created for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SessionWorktree {
    /// The worktree's root directory.
    pub path: String,
    /// The branch that it was created for.
    pub branch: String,
}

/// Whether a worktree has uncommitted changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WorktreeCondition {
    /// It has none.
    Clean,
    /// It has some.
    Dirty,
    /// Its directory does not exist.
    Missing,
    /// git did not say in time.
    Unknown,
}

/// The state of a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WorktreeState {
    /// Whether it has uncommitted changes: clean, dirty, missing or unknown.
    #[serde(rename = "state")]
    pub condition: WorktreeCondition,
    /// Number of changed and untracked files.
    #[serde(default, skip_serializing_if = "is_none_changed")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub changed_files: usize,
    /// Commits that the upstream branch lacks, or else the branch of the main worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub ahead: Option<usize>,
    /// Commits of that branch that this one lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub behind: Option<usize>,
    /// Commits that are not on any other branch or remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub only_here: Option<usize>,
}

fn is_none_changed(count: &usize) -> bool {
    *count == 0
}

impl WorktreeState {
    /// A state of which nothing else is known.
    pub fn of(condition: WorktreeCondition) -> Self {
        Self { condition, changed_files: 0, ahead: None, behind: None, only_here: None }
    }
}

/// A worktree that was created for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WorktreeView {
    /// The worktree's root directory.
    pub path: String,
    /// The branch that it was created for.
    pub branch: String,
    /// The repository, which is the same for all its worktrees.
    pub repository: String,
    /// The name of the session that it was created for.
    pub session_name: SessionName,
    /// The session, unless it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionId")]
    pub session_id: Option<SessionId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its state.
    #[serde(flatten)]
    pub state: WorktreeState,
}

/// The worktrees that were created for sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeList {
    /// The worktrees, ordered by path.
    pub worktrees: Vec<WorktreeView>,
}

/// A worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeRemoved {
    /// The directory that was removed.
    pub path: String,
    /// The branch of the worktree.
    pub branch: String,
    /// Whether the branch was deleted, too.
    pub branch_deleted: bool,
}
