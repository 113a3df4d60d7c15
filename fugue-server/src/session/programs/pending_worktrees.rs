//! Worktrees that were made for programs which have no pane yet.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fugue_core::request_context::StartedWorktree;
use fugue_core::{ChildSpec, Started, Ticket};
use fugue_protocol::{Refusal, RunId};
use tokio::task::spawn_blocking;

use crate::program_start::spawn_environment;
use crate::worktree::{self, MadeWorktree};

/// Worktrees that were made for programs which have no pane yet.
#[derive(Default)]
pub(crate) struct PendingWorktrees(BTreeMap<RunId, MadeWorktree>);

/// The outcome of making a worktree, and the programs to start then.
pub(crate) struct WorktreeOutcome {
    pub(crate) ticket: Ticket,
    pub(crate) placed: Vec<(PathBuf, ChildSpec)>,
    pub(crate) made: Result<MadeWorktree, Refusal>,
}

impl PendingWorktrees {
    /// A worktree was made for this program.
    pub(crate) fn add(&mut self, run: RunId, made: MadeWorktree) {
        self.0.insert(run, made);
    }

    /// The session exists now, so its worktree stays.
    pub(crate) fn keep(&mut self, run: RunId) {
        self.0.remove(&run);
    }

    /// Takes the worktree of a program, to be removed.
    pub(crate) fn take(&mut self, run: RunId) -> Option<MadeWorktree> {
        self.0.remove(&run)
    }

    /// Removes the worktree of a program that gets no pane.
    pub(crate) fn undo(&mut self, run: RunId) {
        if let Some(made) = self.take(run) {
            drop(spawn_blocking(move || worktree::undo(&made)));
        }
    }

    /// Adds to the programs that were started the worktrees that were made for them.
    pub(crate) fn with_worktrees(
        &self,
        started: Result<Vec<Started>, Refusal>,
    ) -> Result<Vec<Started>, Refusal> {
        let made = |run: Option<RunId>| {
            let made = self.0.get(&run?)?;
            Some(StartedWorktree {
                path: spawn_environment::text(&made.path),
                branch: made.branch.clone(),
                repository: made.repository.clone(),
                copied: made.copied,
                reused: made.reused,
            })
        };
        let with = |started: Started| Started { worktree: made(started.run), ..started };
        started.map(|started| started.into_iter().map(with).collect())
    }
}
