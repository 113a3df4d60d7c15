//! The places that a profile refers to, as they are on this machine for one program.

use std::path::{Path, PathBuf};

/// The places of one program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The directory that the program starts in.
    pub directory: PathBuf,
    /// The worktree that the directory is in; none outside of any repository.
    pub worktree: Option<PathBuf>,
    /// The repository's directory for this worktree: `.git`, or `.git/worktrees/NAME` of a linked worktree.
    pub git_directory: Option<PathBuf>,
    /// The `.git` directory that all worktrees of the repository share.
    pub git_common: Option<PathBuf>,
    /// The temporary directory of the program, its own.
    pub temporary: PathBuf,
    /// The daemon's socket.
    pub socket: Option<PathBuf>,
    /// The terminal of the pane.
    pub terminal: Option<PathBuf>,
    /// Where the agent that is started keeps its state.
    pub agent_state: Vec<PathBuf>,
}

impl Places {
    /// Finds the worktree around the directory by its files, as git does, but without running anything that the
    /// repository configures.
    pub fn find_repository(&mut self) {
        let Some((worktree, git)) = self.directory.ancestors().find_map(|path| {
            let git = path.join(".git");
            git.exists().then(|| (path.to_owned(), git))
        }) else {
            return;
        };
        let directory = if git.is_dir() { Some(git) } else { linked(&worktree, &git) };
        self.git_common = directory.as_deref().map(common);
        self.git_directory = directory;
        self.worktree = Some(worktree);
    }

    /// The directory that the program works in: its worktree or, without a repository, the directory that it is started in. None if
    /// that contains the home directory, and so other programs' files.
    pub fn work(&self) -> Option<&Path> {
        let work = self.worktree.as_deref().unwrap_or(&self.directory);
        let holds_home = self.home.as_deref().is_some_and(|home| home.starts_with(work));
        (!holds_home && work != Path::new("/")).then_some(work)
    }

    /// Whether the `.git` directory is inside the worktree, so that everything in the worktree includes its hooks.
    pub fn is_main_worktree(&self) -> bool {
        match (&self.worktree, &self.git_common) {
            (Some(worktree), Some(common)) => common.starts_with(worktree),
            _ => false,
        }
    }
}

/// The directory that the `.git` file of a linked worktree names.
fn linked(worktree: &Path, git: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(git).ok()?;
    let named = worktree.join(text.strip_prefix("gitdir:")?.trim());
    named.canonicalize().ok()
}

/// The directory that a worktree's git directory shares with all others.
fn common(directory: &Path) -> PathBuf {
    let shared = std::fs::read_to_string(directory.join("commondir")).ok();
    let shared = shared.and_then(|text| directory.join(text.trim()).canonicalize().ok());
    shared.unwrap_or_else(|| directory.to_owned())
}
