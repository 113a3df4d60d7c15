//! Running `git rev-parse` in a directory.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fugue_protocol::git_location::GitLocation;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::safe_files;

/// How long git may take: longer means that it hangs on a file system that does not respond.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The most output that is read: more than three paths need.
const MAX_OUTPUT: usize = 16 << 10;

/// Variables that would make git report another repository.
const REMOVED_VARIABLES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES"];

/// What git said about a directory.
pub(super) enum GitAnswer {
    /// The repository, worktree and branch; `None` if it is not in a worktree.
    Location(Option<GitLocation>),
    /// Nothing in time.
    None,
}

/// Asks git for the repository, worktree and branch of a directory.
pub(super) fn locate(directory: &Path) -> GitAnswer {
    if !safe_files::is_in_safe_repository(directory) {
        return GitAnswer::Location(None);
    }
    let arguments = [
        "rev-parse",
        "--path-format=absolute",
        "--git-common-dir",
        "--show-toplevel",
        "--abbrev-ref",
        "HEAD",
    ];
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(arguments).env("GIT_OPTIONAL_LOCKS", "0");
    for name in REMOVED_VARIABLES {
        git.env_remove(name);
    }
    let git = git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut git) = git else { return GitAnswer::Location(None) };
    let output = read_output(&mut git);
    // Kill and reap it, whether or not it has ended.
    let _ = git.kill();
    let _ = git.wait();
    output.map_or(GitAnswer::None, |output| GitAnswer::Location(parse(&output)))
}

/// Reads git's output to its end, or returns `None` if that takes too long.
fn read_output(git: &mut Child) -> Option<String> {
    let mut out = git.stdout.take()?;
    let deadline = Instant::now() + TIMEOUT;
    let mut output = Vec::new();
    let mut piece = [0; 4096];
    while output.len() < MAX_OUTPUT {
        let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok()?;
        if poll(&mut [PollFd::from_borrowed_fd(out.as_fd(), PollFlags::IN)], Some(&left)).ok()? == 0 {
            return None;
        }
        match out.read(&mut piece).ok()? {
            0 => return String::from_utf8(output).ok(),
            count => output.extend_from_slice(&piece[..count]),
        }
    }
    None
}

/// Parses git's output. A repository without a commit has no third line, and a detached HEAD has no branch.
fn parse(output: &str) -> Option<GitLocation> {
    let mut lines = output.lines();
    let (common, top) = (lines.next()?, lines.next()?);
    let repository = common.strip_suffix("/.git").filter(|path| !path.is_empty()).unwrap_or(common);
    let branch = lines.next().filter(|branch| *branch != "HEAD").map(str::to_owned);
    Some(GitLocation { repository: repository.to_owned(), worktree: top.to_owned(), branch })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_git_is_parsed_with_and_without_a_branch() {
        let location = |repository: &str, worktree: &str, branch: Option<&str>| {
            let branch = branch.map(str::to_owned);
            Some(GitLocation { repository: repository.into(), worktree: worktree.into(), branch })
        };
        assert_eq!(parse("/src/app/.git\n/src/app\nmain\n"), location("/src/app", "/src/app", Some("main")));
        assert_eq!(parse("/src/app/.git\n/src/fix\nHEAD\n"), location("/src/app", "/src/fix", None));
        assert_eq!(parse("/src/bare.git\n/src/fix\n"), location("/src/bare.git", "/src/fix", None));
        assert_eq!(parse("/src/app/.git\n"), None, "a directory inside .git is not in a worktree");
        assert_eq!(parse(""), None);
    }
}
