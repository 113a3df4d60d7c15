//! The state of a worktree: whether it has uncommitted changes, and how its commits relate to others.

use std::path::Path;

use fugue_protocol::views::{WorktreeCondition, WorktreeState};

use super::git::{commits_only_on, scan};

/// Asks git for the state of a worktree.
pub(crate) fn state(path: &Path) -> WorktreeState {
    if !path.exists() {
        return WorktreeState::of(WorktreeCondition::Missing);
    }
    let status = scan(path).run_raw(["status", "--porcelain=v2", "--branch", "-z", "--no-renames"]);
    let Ok(status) = status else { return WorktreeState::of(WorktreeCondition::Unknown) };
    let lines = || status.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    let changed = lines().filter(|line| !line.starts_with(b"# ")).count();
    let header = |name: &str| {
        let line = lines().find_map(|line| line.strip_prefix(format!("# branch.{name} ").as_bytes()));
        line.map(|value| String::from_utf8_lossy(value).into_owned())
    };
    let upstream = header("ab").as_deref().and_then(ahead_and_behind);
    let counts = upstream.or_else(|| compared_with_main(path));
    let branch = header("head").filter(|head| head != "(detached)").unwrap_or_default();
    WorktreeState {
        condition: if changed == 0 { WorktreeCondition::Clean } else { WorktreeCondition::Dirty },
        changed_files: changed,
        ahead: counts.map(|(ahead, _)| ahead),
        behind: counts.map(|(_, behind)| behind),
        only_here: commits_only_on(path, "HEAD", &branch).ok(),
    }
}

/// Reads `+2 -1`.
fn ahead_and_behind(counts: &str) -> Option<(usize, usize)> {
    let (ahead, behind) = counts.split_once(' ')?;
    Some((ahead.strip_prefix('+')?.parse().ok()?, behind.strip_prefix('-')?.parse().ok()?))
}

/// Without an upstream, the branch is compared with that of the main worktree.
fn compared_with_main(path: &Path) -> Option<(usize, usize)> {
    let words = ["rev-list", "--left-right", "--count", "main-worktree/HEAD...HEAD"];
    let counts = scan(path).run(words).ok()?;
    let (behind, ahead) = counts.trim().split_once('\t')?;
    Some((ahead.parse().ok()?, behind.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_git_are_read() {
        assert_eq!(ahead_and_behind("+2 -1"), Some((2, 1)));
        assert_eq!(ahead_and_behind("2 1"), None);
    }
}
