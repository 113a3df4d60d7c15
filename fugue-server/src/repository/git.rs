//! One question to git.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fugue_protocol::orchestration::GitLocation;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A git that has not answered by then hangs on a disk that is gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// More than three paths take.
const MOST: usize = 16 << 10;

/// Variables that would have git speak of another repository.
const MISLEADING: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES"];

/// Where a directory is; nowhere when it is in no worktree.
pub(super) fn place(directory: &Path) -> Option<GitLocation> {
    let words = [
        "rev-parse",
        "--path-format=absolute",
        "--git-common-dir",
        "--show-toplevel",
        "--abbrev-ref",
        "HEAD",
    ];
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(words).env("GIT_OPTIONAL_LOCKS", "0");
    for name in MISLEADING {
        git.env_remove(name);
    }
    let mut git = git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let said = listen(&mut git);
    // Ended or not, it is not left behind.
    let _ = git.kill();
    let _ = git.wait();
    read(&said?)
}

/// What git says until it is done; nothing when it takes too long.
fn listen(git: &mut Child) -> Option<String> {
    let mut out = git.stdout.take()?;
    let until = Instant::now() + PATIENCE;
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    while said.len() < MOST {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok()?;
        if poll(&mut [PollFd::from_borrowed_fd(out.as_fd(), PollFlags::IN)], Some(&left)).ok()? == 0 {
            return None;
        }
        match out.read(&mut piece).ok()? {
            0 => return String::from_utf8(said).ok(),
            count => said.extend_from_slice(&piece[..count]),
        }
    }
    None
}

/// A repository without a commit has no third line, and a detached head no branch.
fn read(said: &str) -> Option<GitLocation> {
    let mut lines = said.lines();
    let (common, top) = (lines.next()?, lines.next()?);
    let repository = common.strip_suffix("/.git").filter(|path| !path.is_empty()).unwrap_or(common);
    let branch = lines.next().filter(|branch| *branch != "HEAD").map(str::to_owned);
    Some(GitLocation { repository: repository.to_owned(), worktree: top.to_owned(), branch })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_read_with_and_without_a_branch() {
        let place = |repository: &str, worktree: &str, branch: Option<&str>| {
            let branch = branch.map(str::to_owned);
            Some(GitLocation { repository: repository.into(), worktree: worktree.into(), branch })
        };
        assert_eq!(read("/src/app/.git\n/src/app\nmain\n"), place("/src/app", "/src/app", Some("main")));
        assert_eq!(read("/src/app/.git\n/src/fix\nHEAD\n"), place("/src/app", "/src/fix", None));
        assert_eq!(read("/src/bare.git\n/src/fix\n"), place("/src/bare.git", "/src/fix", None));
        assert_eq!(read("/src/app/.git\n"), None, "inside .git there is no worktree");
        assert_eq!(read(""), None);
    }
}
