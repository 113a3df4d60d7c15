//! Making a worktree, and undoing that. Whatever fails, nothing is left behind: the directory is created here first, so
//! that what is removed again is known to be ours.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fugue_config::ProjectFileProblem;
use fugue_protocol::Refusal;

use super::copied_files;
use super::git::{ask, change};
use super::plan::{Start, WorktreePlan, WorktreeRequest, plan};
use crate::program_start::spawn_environment;

/// Held while git adds a worktree: git fails if it sees one that another git is just adding.
static ADDING: Mutex<()> = Mutex::new(());

/// A worktree that was made, with what is needed to undo that.
#[derive(Debug)]
pub(crate) struct MadeWorktree {
    pub(crate) repository: String,
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    /// Files that were copied because `.worktreeinclude` names them.
    pub(crate) copied: usize,
    /// The command that sets it up.
    pub(crate) setup: Option<String>,
    /// Whether it existed before; then there is nothing to undo.
    pub(crate) reused: bool,
    /// The commit at which the branch was made, if that was done for the worktree.
    new_branch_at: Option<String>,
    /// Directories that were created for it, the outermost first.
    directories: Vec<PathBuf>,
}

/// The reason why a worktree was not made.
#[derive(Debug)]
pub(crate) enum MakeProblem {
    /// The reason in words.
    Reason(String),
    /// The setup command is in a file that the user does not trust.
    NotTrusted(PathBuf),
}

impl From<String> for MakeProblem {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

impl MakeProblem {
    /// The refusal of a worktree for a branch.
    pub(crate) fn refusal(self, branch: String) -> Refusal {
        match self {
            Self::Reason(why) => Refusal::CannotMakeWorktree { branch, why },
            Self::NotTrusted(path) => Refusal::NotTrusted { path: spawn_environment::text(&path) },
        }
    }
}

/// Makes a worktree.
pub(crate) fn make(request: &WorktreeRequest) -> Result<MadeWorktree, MakeProblem> {
    make_planned(request, plan(request)?)
}

fn make_planned(request: &WorktreeRequest, plan: WorktreePlan) -> Result<MadeWorktree, MakeProblem> {
    if let Some(path) = existing(&plan).filter(|_| request.reuses) {
        let WorktreePlan { repository, branch, .. } = plan;
        let (setup, new_branch_at, directories) = (None, None, Vec::new());
        let made = MadeWorktree {
            repository,
            path,
            branch,
            copied: 0,
            setup,
            reused: true,
            new_branch_at,
            directories,
        };
        return Ok(made);
    }
    let setup = setup(&request.state, &plan.repository)?;
    let directories = create_directories(&plan.path).map_err(|why| cannot_create(&plan.path, &why))?;
    let mut made = MadeWorktree {
        repository: plan.repository.clone(),
        path: plan.path.canonicalize().unwrap_or_else(|_| plan.path.clone()),
        branch: plan.branch.clone(),
        copied: 0,
        setup,
        reused: false,
        new_branch_at: None,
        directories,
    };
    match fill(&plan, &mut made) {
        Ok(copied) => Ok(MadeWorktree { copied, ..made }),
        Err(why) => {
            undo(&made);
            Err(why.into())
        }
    }
}

/// Returns the command that sets up the worktrees of a repository, which is in the file of its main worktree.
fn setup(state: &Path, repository: &str) -> Result<Option<String>, MakeProblem> {
    match fugue_config::worktree_commands(state, Path::new(repository)) {
        Ok(commands) => Ok(commands.setup),
        Err(ProjectFileProblem::NotTrusted(path)) => Err(MakeProblem::NotTrusted(path)),
        Err(ProjectFileProblem::Unreadable(why)) => Err(MakeProblem::Reason(why)),
    }
}

/// Returns the worktree in which the branch is checked out, unless that is the main one.
fn existing(plan: &WorktreePlan) -> Option<PathBuf> {
    let list = ask(&plan.source).run(["worktree", "list", "--porcelain", "-z"]).ok()?;
    let branch = format!("branch refs/heads/{}", plan.branch);
    // The main worktree is listed first.
    let mut linked = list.split("\0\0").skip(1);
    let found = linked.find(|entry| entry.split('\0').any(|line| line == branch))?;
    let path = found.split('\0').find_map(|line| line.strip_prefix("worktree "))?;
    Some(PathBuf::from(path)).filter(|path| path.is_dir())
}

/// Checks the branch out, and copies the files that belong to it. Returns how many were copied.
fn fill(plan: &WorktreePlan, made: &mut MadeWorktree) -> Result<usize, String> {
    {
        let _alone = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
        made.new_branch_at = make_branch(plan)?;
        let words = ["worktree", "add"].map(OsStr::new);
        change(&plan.source)
            .run(words.into_iter().chain([made.path.as_os_str(), OsStr::new(&plan.branch)]))?;
    }
    copied_files::copy(&plan.source, &made.path)
}

/// Makes the branch unless it is to exist, and returns its commit. git refuses if it exists by now, because somebody else
/// made it meanwhile: a branch is removed again only if it was made here.
fn make_branch(plan: &WorktreePlan) -> Result<Option<String>, String> {
    let (tracking, from) = match &plan.start {
        Start::Existing => return Ok(None),
        Start::Remote { reference } => ("--track", reference),
        // Otherwise a push could go to the branch that it starts from.
        Start::New { commit } => ("--no-track", commit),
    };
    change(&plan.source).run(["branch", tracking, &plan.branch, from])?;
    let words = ["rev-parse", "--verify", "--quiet", &format!("refs/heads/{}", plan.branch)];
    Ok(ask(&plan.source).run(words).ok().map(|commit| commit.trim().to_owned()))
}

/// Creates the directory, which must not exist yet, and those above it.
fn create_directories(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing: Vec<_> = path.ancestors().skip(1).take_while(|above| !above.exists()).collect();
    let mut created = Vec::new();
    while let Some(above) = missing.pop() {
        match std::fs::create_dir(above) {
            Ok(()) => created.push(above.to_owned()),
            // Another worktree that is being made may need it, too.
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists && above.is_dir() => {}
            Err(why) => {
                remove_directories(&created);
                return Err(why);
            }
        }
    }
    if let Err(why) = std::fs::create_dir(path) {
        remove_directories(&created);
        return Err(why);
    }
    created.push(path.to_owned());
    Ok(created)
}

fn cannot_create(path: &Path, why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::AlreadyExists => format!("`{}` already exists", path.display()),
        kind => format!("`{}` cannot be created ({kind})", path.display()),
    }
}

/// Removes directories that are empty.
fn remove_directories(created: &[PathBuf]) {
    for directory in created.iter().rev() {
        let _ = std::fs::remove_dir(directory);
    }
}

/// Removes a worktree that was just made, with the branch that was made for it.
pub(crate) fn undo(made: &MadeWorktree) {
    if made.reused {
        return;
    }
    let repository = Path::new(&made.repository);
    let words = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
    let _ = change(repository).run(words.into_iter().chain([made.path.as_os_str()]));
    if made.path.exists()
        && let Err(why) = std::fs::remove_dir_all(&made.path)
    {
        tracing::warn!("Cannot remove worktree {}: {why}", made.path.display());
    }
    remove_directories(&made.directories);
    let _ = ask(repository).run(["worktree", "prune"]);
    if let Some(commit) = &made.new_branch_at {
        // Only if it is still where it was made.
        let _ = ask(repository).run(["update-ref", "-d", &format!("refs/heads/{}", made.branch), commit]);
        let _ = ask(repository).run(["config", "--remove-section", &format!("branch.{}", made.branch)]);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// Two requests were planned at once, and this one is the second to be carried out.
    #[test]
    fn a_branch_that_somebody_else_made_meanwhile_is_not_deleted_when_the_worktree_fails() {
        let home = tempfile::tempdir().expect("a directory");
        let source = home.path().join("app");
        std::fs::create_dir(&source).expect("a directory");
        let git = |words: &[&str]| change(&source).run(words).expect("git works");
        git(&["init", "--quiet"]);
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        git(&[&identity[..], &["commit", "--quiet", "--allow-empty", "-m", "first"]].concat());
        let commit = git(&["rev-parse", "HEAD"]).trim().to_owned();
        let request = WorktreeRequest {
            directory: source.clone(),
            branch: "fix".into(),
            base: None,
            path: None,
            reuses: false,
            state: home.path().join("state"),
        };
        let plan = WorktreePlan {
            repository: source.to_string_lossy().into_owned(),
            source: source.clone(),
            path: home.path().join("other"),
            branch: "fix".into(),
            start: Start::New { commit: commit.clone() },
        };
        git(&["branch", "fix"]);
        let MakeProblem::Reason(why) = make_planned(&request, plan).expect_err("it exists") else {
            panic!("another problem");
        };
        assert!(why.contains("already exists"), "{why}");
        assert_eq!(git(&["rev-parse", "refs/heads/fix"]).trim(), commit);
        assert!(!home.path().join("other").exists());
    }

    #[test]
    fn directories_below_the_same_new_one_can_be_created_at_once() {
        for _ in 0..50 {
            let home = tempfile::tempdir().expect("a directory");
            let start = Barrier::new(4);
            std::thread::scope(|threads| {
                for number in 0..4 {
                    let (path, start) = (home.path().join(format!("new/worktrees/{number}")), &start);
                    threads.spawn(move || {
                        start.wait();
                        create_directories(&path).expect("created");
                    });
                }
            });
            let existing = create_directories(&home.path().join("new/worktrees/0")).expect_err("it exists");
            assert_eq!(existing.kind(), io::ErrorKind::AlreadyExists);
        }
    }
}
