//! Worktrees for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply};
use crate::views::{WorktreeCondition, WorktreeList, WorktreeRemoved, WorktreeView};

impl ForModel for WorktreeList {}
impl ForPeople for WorktreeList {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(match self.worktrees.as_slice() {
            [] => "no worktrees\n".into(),
            worktrees => worktrees.iter().map(worktree).collect(),
        })
    }
}

impl ForModel for WorktreeRemoved {}
impl ForPeople for WorktreeRemoved {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let branch = if self.branch_deleted { "deleted" } else { "kept" };
        PrintedReply::Text(format!("removed {} (branch {} {branch})\n", self.path, self.branch))
    }
}

fn worktree(worktree: &WorktreeView) -> String {
    let WorktreeView { path, branch, session_name, session_id, state, .. } = worktree;
    let closed = if session_id.is_none() { " (closed)" } else { "" };
    let condition = match state.condition {
        WorktreeCondition::Clean => "clean".to_owned(),
        WorktreeCondition::Dirty => format!("dirty ({} changed)", state.changed_files),
        WorktreeCondition::Missing => "missing".to_owned(),
        WorktreeCondition::Unknown => "unknown".to_owned(),
    };
    let counts = match (state.ahead, state.behind) {
        (Some(ahead), Some(behind)) => format!(", {ahead} ahead, {behind} behind"),
        _ => String::new(),
    };
    format!("{path} [{branch}] {session_name}{closed}: {condition}{counts}\n")
}
