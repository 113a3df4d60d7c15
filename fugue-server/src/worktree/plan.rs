//! What is to be made: the request, and from that the branch, where it starts, and the path. Nothing is changed here.

use std::path::{Path, PathBuf};

use fugue_protocol::paths::plain;

use super::git::{ask, scan};
use crate::program_start::spawn_environment;
use crate::repository;

/// A worktree to make.
#[derive(Debug, Clone)]
pub(crate) struct WorktreeRequest {
    /// A directory in the repository. A relative path is relative to it.
    pub(crate) directory: PathBuf,
    pub(crate) branch: String,
    pub(crate) base: Option<String>,
    pub(crate) path: Option<String>,
    /// Whether an existing worktree of the branch is used instead.
    pub(crate) reuses: bool,
    /// The state directory of the daemon, beside which trusted files are recorded.
    pub(crate) state: PathBuf,
}

/// A worktree that can be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WorktreePlan {
    pub(super) repository: String,
    /// The worktree that the request comes from.
    pub(super) source: PathBuf,
    pub(super) path: PathBuf,
    pub(super) branch: String,
    pub(super) start: Start,
}

/// Where the branch comes from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The branch exists.
    Existing,
    /// It is made to track this reference, the only one of its name on any remote.
    Remote { reference: String },
    /// It is made from this commit.
    New { commit: String },
}

/// Checks a request and decides what to make.
pub(super) fn plan(request: &WorktreeRequest) -> Result<WorktreePlan, String> {
    let directory = &request.directory;
    let location = repository::locate(directory)
        .ok_or_else(|| format!("`{}` is not in a git repository", directory.display()))?;
    let branch = request.branch.clone();
    check_name(directory, &branch)?;
    let start = start(request)?;
    let path = match &request.path {
        Some(path) => plain(&directory.join(spawn_environment::from_home(Path::new(path)))),
        None => default_path(&location.repository, &branch),
    };
    Ok(WorktreePlan {
        repository: location.repository,
        source: location.worktree.into(),
        path,
        branch,
        start,
    })
}

/// Refuses what git would read as an option or as another reference.
fn check_name(directory: &Path, branch: &str) -> Result<(), String> {
    let invalid = || format!("`{branch}` is not a valid branch name");
    if branch.starts_with('-') || branch == "HEAD" || branch.contains('\0') {
        return Err(invalid());
    }
    let checked = ask(directory).run(["check-ref-format", &format!("refs/heads/{branch}")]);
    checked.map(drop).map_err(|_| invalid())
}

fn start(request: &WorktreeRequest) -> Result<Start, String> {
    let (directory, branch) = (&request.directory, &request.branch);
    let local = ["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")];
    match (ask(directory).run(local).is_ok(), &request.base) {
        (true, None) => Ok(Start::Existing),
        (true, Some(_)) => Err("the branch already exists, so `base` cannot be used".to_owned()),
        (false, None) => match only_remote(directory, branch) {
            Some(reference) => Ok(Start::Remote { reference }),
            None => commit(directory, "HEAD"),
        },
        (false, Some(base)) => commit(directory, base),
    }
}

/// Returns the reference of the branch on the only remote that has it.
fn only_remote(directory: &Path, branch: &str) -> Option<String> {
    let words = ["for-each-ref", "--format=%(refname)", &format!("refs/remotes/*/{branch}")];
    let refs = scan(directory).run(words).ok()?;
    let mut refs = refs.lines();
    refs.next().filter(|_| refs.next().is_none()).map(str::to_owned)
}

fn commit(directory: &Path, base: &str) -> Result<Start, String> {
    let revision = format!("{base}^{{commit}}");
    let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &revision];
    let commit = ask(directory).run(words).map_err(|_| format!("commit not found: `{base}`"))?;
    Ok(Start::New { commit: commit.trim().to_owned() })
}

/// The default path: in a directory next to the repository, so that tools which search the repository, or look for
/// their configuration in parent directories, do not find one inside the other.
fn default_path(repository: &str, branch: &str) -> PathBuf {
    PathBuf::from(format!("{repository}.worktrees")).join(branch.replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_path_is_beside_the_repository() {
        let path = default_path("/src/app", "feature/login");
        assert_eq!(path, Path::new("/src/app.worktrees/feature-login"));
    }
}
