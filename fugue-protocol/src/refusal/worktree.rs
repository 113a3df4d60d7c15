//! The reasons why a worktree is kept.

use super::Hint;
use crate::PaneId;
use crate::verbs::ClosePane;

/// The reason why a worktree was not removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "each sentence says what its fields are")]
pub enum KeptBecause {
    #[error("it has {} with uncommitted changes", counted(*files, "file"))]
    Dirty { files: usize },
    #[error("it has {} not on any other branch or remote", counted(*commits, "commit"))]
    Unmerged { commits: usize },
    #[error("a program is running in it (pane {pane})")]
    Busy { pane: PaneId },
    #[error("it is the repository's main worktree")]
    Main,
    #[error("the directory no longer contains that worktree")]
    Other,
    #[error("agents cannot force the removal")]
    OnlyPeopleForce,
    #[error("all sessions that were allowed to remove it are closed")]
    Orphaned,
    #[error("its teardown command failed ({exit}){}", with_line(last_line))]
    TeardownFailed { exit: String, last_line: String },
    #[error("its teardown command is in {path}, which is not trusted")]
    TeardownNotTrusted { path: String },
    #[error("{why}")]
    Git { why: String },
}

impl KeptBecause {
    /// git refused, for this reason.
    pub fn git_refused(why: String) -> Self {
        Self::Git { why }
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let force =
            || Hint::AskUser("run `fugue remove-worktree` with `--force`, which discards that work".into());
        match self {
            Self::Dirty { .. } => vec![Hint::text("commit or discard the changes first"), force()],
            Self::Unmerged { .. } => vec![Hint::text("push or merge the branch first"), force()],
            Self::Busy { .. } => vec![Hint::use_verb::<ClosePane>("closes the pane")],
            Self::OnlyPeopleForce | Self::Orphaned => vec![Hint::AskUser("remove it".into())],
            Self::TeardownFailed { .. } => vec![
                Hint::text("fix the teardown command or the problem it reports, and try again"),
                Hint::AskUser("run `fugue remove-worktree` with `--force`, which ignores the failure".into()),
            ],
            Self::TeardownNotTrusted { .. } => {
                vec![Hint::AskUser("review the file, then run `fugue allow` in its directory".into())]
            }
            Self::Main | Self::Other | Self::Git { .. } => {
                vec![Hint::text("`git worktree list` lists worktrees")]
            }
        }
    }
}

fn with_line(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!(": {line}") }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
