//! The questions and changes for which git is run in a worktree.

use std::path::Path;
use std::time::Duration;

use crate::repository::{GitCommand, LOOKUP};

/// How long git may take to check out or remove a worktree: a large repository takes a minute on a slow disk.
const CHECKOUT: Duration = Duration::from_secs(120);

/// How long git may take to look through all files of a worktree.
const STATUS: Duration = Duration::from_secs(10);

/// The most output that is read: the paths of more changed files than anybody reads.
const MAX_OUTPUT: usize = 4 << 20;

/// git in a directory, for a quick question.
pub(super) fn ask(directory: &Path) -> GitCommand<'_> {
    GitCommand { directory, timeout: LOOKUP, max_output: MAX_OUTPUT }
}

/// git in a directory, for a question about all files there.
pub(super) fn scan(directory: &Path) -> GitCommand<'_> {
    GitCommand { timeout: STATUS, ..ask(directory) }
}

/// git in a directory, to change something.
pub(super) fn change(directory: &Path) -> GitCommand<'_> {
    GitCommand { timeout: CHECKOUT, ..ask(directory) }
}

/// Returns how many commits of a revision are not on any other branch or remote.
pub(super) fn commits_only_on(directory: &Path, revision: &str, branch: &str) -> Result<usize, String> {
    let exclude = format!("--exclude={branch}");
    let words = ["rev-list", "--count", revision, "--not", &exclude, "--branches", "--remotes"];
    let count = scan(directory).run(words)?;
    count.trim().parse().map_err(|_| format!("git printed an invalid commit count: `{}`", count.trim()))
}
