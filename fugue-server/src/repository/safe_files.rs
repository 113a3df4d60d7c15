//! Whether git can read a repository without hanging. Anyone can create a `.git` whose files are FIFOs, which block the
//! process that opens them.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The largest file that git is made to read: more than the packed references of the largest repositories.
const MAX_BYTES: u64 = 64 << 20;

/// The most bytes of a file that contains a path or the name of a branch.
const MAX_POINTER: u64 = 8 << 10;

/// The files in a repository's directory that git reads to find the worktree and the branch.
const FILES: [&str; 6] = ["HEAD", "config", "config.worktree", "commondir", "gitdir", "packed-refs"];

/// Whether a directory is in a repository, and all files that git reads to find it are ordinary. Never blocks.
pub(super) fn is_in_safe_repository(directory: &Path) -> bool {
    let entries = directory.ancestors().map(|ancestor| ancestor.join(".git"));
    // git passes over one that is not a repository, and looks at those above it.
    let mut found = entries.filter(|entry| entry.exists()).peekable();
    let is_safe_entry = |entry: PathBuf| git_directory(&entry).is_some_and(|found| is_safe(&found));
    found.peek().is_some() && found.all(is_safe_entry)
}

/// Returns the repository's directory: `.git` itself, or the one that a worktree's file `.git` names.
fn git_directory(entry: &Path) -> Option<PathBuf> {
    if entry.is_dir() {
        return Some(entry.to_owned());
    }
    let text = pointer(entry)?;
    Some(entry.parent()?.join(text.strip_prefix("gitdir: ")?))
}

fn is_safe(directory: &Path) -> bool {
    let common = directory.join("commondir");
    let common = match common.exists() {
        true => pointer(&common).map(|path| directory.join(path)),
        false => Some(directory.to_owned()),
    };
    let Some(common) = common else { return false };
    let branch = pointer(&directory.join("HEAD"));
    let branch = branch.as_deref().and_then(|head| head.strip_prefix("ref: "));
    let names = FILES.into_iter().chain(branch);
    names.flat_map(|name| [directory.join(name), common.join(name)]).all(|file| is_ordinary(&file))
}

/// Whether a file is absent, or regular and not too large.
fn is_ordinary(file: &Path) -> bool {
    std::fs::metadata(file).map_or(true, |file| file.is_file() && file.len() <= MAX_BYTES)
}

/// Reads a small regular file.
fn pointer(path: &Path) -> Option<String> {
    // With this flag, opening a FIFO does not wait for its writer.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_POINTER).read_to_string(&mut text).ok()?;
    Some(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// A directory with a repository of one commit and a worktree beside it.
    fn repository() -> tempfile::TempDir {
        let home = tempfile::tempdir().expect("a directory");
        let script = "git init -q app && cd app && \
            git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m first && \
            git worktree add -q ../fix -b fix";
        let done = Command::new("sh").args(["-c", script]).current_dir(home.path()).status();
        assert!(done.expect("git").success());
        home
    }

    fn replace_by_fifo(path: &Path) {
        let _ = fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }

    #[test]
    fn a_repository_and_its_worktrees_are_safe_and_a_plain_directory_is_in_none() {
        let home = repository();
        fs::create_dir_all(home.path().join("app/src/deep")).expect("directories");
        for directory in ["app", "app/src/deep", "fix"] {
            assert!(is_in_safe_repository(&home.path().join(directory)), "{directory}");
        }
        fs::create_dir(home.path().join("plain")).expect("a directory");
        assert!(!is_in_safe_repository(&home.path().join("plain")));
    }

    #[test]
    fn a_repository_with_a_fifo_that_git_would_open_is_not_safe() {
        let branch = fs::read_to_string(repository().path().join("app/.git/HEAD")).expect("a branch");
        let branch = format!("app/.git/{}", branch.trim_end().trim_start_matches("ref: "));
        let files = ["app/.git/HEAD", "app/.git/config", "app/.git/packed-refs", &branch];
        for file in files {
            let home = repository();
            replace_by_fifo(&home.path().join(file));
            assert!(!is_in_safe_repository(&home.path().join("app")), "{file}");
        }
        for file in ["fix/.git", "app/.git/worktrees/fix/HEAD", "app/.git/worktrees/fix/commondir"] {
            let home = repository();
            replace_by_fifo(&home.path().join(file));
            assert!(!is_in_safe_repository(&home.path().join("fix")), "{file}");
        }
    }
}
