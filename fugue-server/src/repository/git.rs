//! Asking git which repository a directory is in.

use std::path::Path;

use fugue_protocol::worktree::GitLocation;

use super::git_command::{GitCommand, LOOKUP};
use super::{remote_url, safe_files};

/// The most output that is read: more than three paths need.
const MAX_OUTPUT: usize = 16 << 10;

/// What git said about a directory.
pub(super) enum GitAnswer {
    /// The repository, worktree and branch; `None` if it is not in a worktree.
    Location(Option<GitLocation>),
    /// Nothing in time.
    None,
}

/// Returns the repository, worktree and branch of a directory, or `None` if it is not in a worktree.
pub(crate) fn locate(directory: &Path) -> Option<GitLocation> {
    match ask(directory) {
        GitAnswer::Location(location) => location,
        GitAnswer::None => None,
    }
}

/// Asks git for the repository, worktree and branch of a directory.
pub(super) fn ask(directory: &Path) -> GitAnswer {
    if !safe_files::is_in_safe_repository(directory) {
        return GitAnswer::Location(None);
    }
    let git = GitCommand { directory, timeout: LOOKUP, max_output: MAX_OUTPUT };
    let arguments = [
        "rev-parse",
        "--path-format=absolute",
        "--git-common-dir",
        "--show-toplevel",
        "--abbrev-ref",
        "HEAD",
    ];
    // In a repository without a commit, git fails after the first two lines.
    git.output(arguments).map_or(GitAnswer::None, |output| GitAnswer::Location(parse(&output)))
}
/// Parses git's output. A repository without a commit has no third line, and a detached HEAD has no branch.
fn parse(output: &str) -> Option<GitLocation> {
    let mut lines = output.lines();
    let (common, top) = (lines.next()?, lines.next()?);
    let repository = common.strip_suffix("/.git").filter(|path| !path.is_empty()).unwrap_or(common);
    let branch = lines.next().filter(|branch| *branch != "HEAD").map(str::to_owned);
    Some(GitLocation { repository: repository.to_owned(), worktree: top.to_owned(), branch, remote: None })
}

/// Asks git for the URL of the remote `origin`, in the spelling that is the same on all hosts.
pub(super) fn remote(directory: &Path) -> Option<String> {
    let git = GitCommand { directory, timeout: LOOKUP, max_output: MAX_OUTPUT };
    git.run(["remote", "get-url", "origin"]).ok().and_then(|url| remote_url::normalized(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_git_is_parsed_with_and_without_a_branch() {
        let location = |repository: &str, worktree: &str, branch: Option<&str>| {
            let branch = branch.map(str::to_owned);
            let (repository, worktree) = (repository.into(), worktree.into());
            Some(GitLocation { repository, worktree, branch, remote: None })
        };
        assert_eq!(parse("/src/app/.git\n/src/app\nmain\n"), location("/src/app", "/src/app", Some("main")));
        assert_eq!(parse("/src/app/.git\n/src/fix\nHEAD\n"), location("/src/app", "/src/fix", None));
        assert_eq!(parse("/src/bare.git\n/src/fix\n"), location("/src/bare.git", "/src/fix", None));
        assert_eq!(parse("/src/app/.git\n"), None, "a directory inside .git is not in a worktree");
        assert_eq!(parse(""), None);
    }
}
