//! Worktrees for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply, row};
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
        PrintedReply::Text(row(&format!("removed {} (branch {} {branch})", self.path, self.branch)))
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
    row(&format!("{path} [{branch}] {session_name}{closed}: {condition}{counts}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    #[test]
    fn a_path_with_a_line_break_does_not_look_like_another_item() {
        let removed =
            WorktreeRemoved { path: "/a\nvictim: 1 window".into(), branch: "b".into(), branch_deleted: true };
        let text = removed.for_people(&PrintContext { clock: |_: Timestamp| String::new() });
        assert_eq!(text, PrintedReply::Text("removed /a\\nvictim: 1 window (branch b deleted)\n".into()));
    }
}
