//! Removing a worktree: never the main one, and by default only if nothing is lost with it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fugue_protocol::refusal::KeptBecause;
use fugue_protocol::worktree::Worktree;

use super::git::{ask, change, commits_only_on, scan};
use super::teardown;

/// How to remove a worktree.
#[derive(Debug, Clone)]
pub(crate) struct Removal {
    pub(crate) delete_branch: bool,
    pub(crate) force: bool,
    /// The state directory of the daemon, beside which trusted files are recorded.
    pub(crate) state: PathBuf,
}

/// Removes a worktree. Returns whether its branch was deleted, too.
pub(crate) fn remove(worktree: &Worktree, how: &Removal) -> Result<bool, KeptBecause> {
    let (path, repository) = (Path::new(&worktree.path), Path::new(&worktree.repository));
    if path.exists() {
        check_linked(path, repository)?;
        if !how.force {
            nothing_lost(worktree)?;
        }
        let torn_down = teardown::run(&how.state, repository, path);
        torn_down.or_else(|why| if how.force { Ok(()) } else { Err(why) })?;
        let force = how.force.then_some(OsStr::new("--force"));
        let words = ["worktree", "remove"].map(OsStr::new).into_iter().chain(force);
        change(repository).run(words.chain([path.as_os_str()])).map_err(KeptBecause::git_refused)?;
    } else {
        // It was removed by other means; git still lists it.
        let _ = ask(repository).run(["worktree", "prune"]);
    }
    let deleted = || ask(repository).run(["branch", "-D", "--end-of-options", &worktree.branch]).is_ok();
    Ok(how.delete_branch && (how.force || branch_is_elsewhere(worktree)) && deleted())
}

/// Refuses the main worktree of a repository, and whatever is at the path instead of the worktree.
fn check_linked(path: &Path, repository: &Path) -> Result<(), KeptBecause> {
    let words = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel"];
    let answer = ask(path).run(words).map_err(KeptBecause::git_refused)?;
    let mut lines = answer.lines();
    let (own, common, top) = (lines.next(), lines.next(), lines.next());
    let belongs = common.is_some_and(|common| {
        let common = Path::new(common);
        common == repository || common == repository.join(".git")
    });
    match top.is_some_and(|top| Path::new(top) == path) && belongs {
        true if own == common => Err(KeptBecause::Main),
        true => Ok(()),
        false => Err(KeptBecause::Other),
    }
}

/// Refuses a worktree with changes that are not committed, or with commits that are nowhere else.
fn nothing_lost(worktree: &Worktree) -> Result<(), KeptBecause> {
    let path = Path::new(&worktree.path);
    let changes = scan(path)
        .run_raw(["status", "--porcelain", "-z", "--no-renames"])
        .map_err(KeptBecause::git_refused)?;
    let files = changes.split(|byte| *byte == 0).filter(|change| !change.is_empty()).count();
    if files > 0 {
        return Err(KeptBecause::Dirty { files });
    }
    let branch = ask(path).run(["symbolic-ref", "--quiet", "--short", "HEAD"]).unwrap_or_default();
    match commits_only_on(path, "HEAD", branch.trim()).map_err(KeptBecause::git_refused)? {
        0 => Ok(()),
        commits => Err(KeptBecause::Unmerged { commits }),
    }
}

/// Whether all commits of the branch are on another branch or a remote.
fn branch_is_elsewhere(worktree: &Worktree) -> bool {
    let revision = format!("refs/heads/{}", worktree.branch);
    commits_only_on(Path::new(&worktree.repository), &revision, &worktree.branch) == Ok(0)
}
