//! Worktrees of sessions: made before the program of a new session is started, and removed again if the session is not
//! created after all.

use std::path::{Path, PathBuf};

use fugue_core::edge_request::WorktreeRemoval;
use fugue_core::{ChildSpec, Input, Ticket};
use fugue_protocol::refusal::KeptBecause;
use fugue_protocol::verbs::NewWorktree;
use fugue_protocol::views::{WorktreeList, WorktreeRemoved, WorktreeView};
use fugue_protocol::worktree::Worktree;
use fugue_protocol::{PaneId, Refusal};
use tokio::task::spawn_blocking;

use super::pending_worktrees::WorktreeOutcome;
use crate::keeper_link::KeeperEvent;
use crate::replies::reply::Reply;
use crate::session::manager::Manager;
use crate::session::manager_inputs::ManagerInput;
use crate::session::storage::batch::Batch;
use crate::tasks;
use crate::worktree::{self, MadeWorktree, Removal, WorktreeRequest};

/// Worktrees whose state is asked for at a time: git must not take the whole machine.
const AT_A_TIME: usize = 4;

impl Manager {
    /// Has git make the worktree that a program is to start in. Returns the programs, to be started now, if there is
    /// none to make.
    pub(crate) fn make_worktree_first(
        &self,
        ticket: Ticket,
        placed: Vec<(PathBuf, ChildSpec)>,
    ) -> Option<Vec<(PathBuf, ChildSpec)>> {
        let wanted = |(cwd, child): &(PathBuf, ChildSpec)| {
            let NewWorktree { branch, base, path } = child.worktree.clone()?;
            Some(WorktreeRequest {
                directory: cwd.clone(),
                branch,
                base,
                path,
                reuses: child.reuses_worktree,
                state: self.host.state.clone(),
            })
        };
        let Some(request) = placed.iter().find_map(wanted) else { return Some(placed) };
        let branch = request.branch.clone();
        let manager = self.sender();
        tasks::spawn_local(async move {
            let made = spawn_blocking(move || worktree::make(&request)).await;
            let made = made.unwrap_or_else(|why| Err(why.to_string().into()));
            let made = made.map_err(|problem| problem.refusal(branch));
            let outcome = WorktreeOutcome { ticket, placed, made };
            let _ = manager.send(ManagerInput::WorktreeMade(Box::new(outcome))).await;
        });
        None
    }

    /// Starts the programs in the worktree that was made for them.
    pub(crate) fn worktree_made(&mut self, outcome: WorktreeOutcome, batch: &mut Batch) {
        let WorktreeOutcome { ticket, placed, made } = outcome;
        let made = match made {
            Ok(made) => made,
            Err(refusal) => return self.handle(Input::Started { ticket, outcome: Err(refusal) }, batch),
        };
        let (path, setup) = (made.path.clone(), made.setup.clone());
        let inside = |(cwd, child): (PathBuf, ChildSpec)| match child.worktree {
            Some(_) => (path.clone(), ChildSpec { setup: setup.clone(), ..child }),
            None => (cwd, child),
        };
        let placed: Vec<_> = placed.into_iter().map(inside).collect();
        if let Some((_, child)) = placed.iter().find(|(_, child)| child.worktree.is_some()) {
            self.worktrees.add(child.run, made);
        }
        self.start_in(ticket, placed);
    }

    /// Removes the worktree of a program that could not be started, and only then handles that it could not, so that
    /// the caller can try again at once.
    pub(crate) fn undo_worktree_before(&self, made: MadeWorktree, failed: KeeperEvent) {
        let manager = self.sender();
        tasks::spawn_local(async move {
            let _ = spawn_blocking(move || worktree::undo(&made)).await;
            let _ = manager.send(ManagerInput::Keeper(failed)).await;
        });
    }

    /// Removes a worktree, unless a program is running in it.
    pub(crate) fn remove_worktree(&self, removal: WorktreeRemoval, reply: Reply) {
        let WorktreeRemoval { worktree, delete_branch, force, .. } = removal;
        let refusal = |path: &str, why| Refusal::CannotRemoveWorktree { path: path.to_owned(), why };
        if let Some(pane) = self.pane_in(Path::new(&worktree.path)).filter(|_| !force) {
            return reply.refuse(refusal(&worktree.path, KeptBecause::Busy { pane }));
        }
        let (manager, state) = (self.sender(), self.host.state.clone());
        tasks::spawn_local(async move {
            let Worktree { path, branch, .. } = worktree.clone();
            let how = Removal { delete_branch, force, state };
            let removed = spawn_blocking(move || worktree::remove(&worktree, &how)).await;
            match removed.unwrap_or_else(|why| Err(KeptBecause::git_refused(why.to_string()))) {
                Ok(branch_deleted) => {
                    let input = Input::WorktreeRemoved { path: path.clone() };
                    let _ = manager.send(ManagerInput::Machine(input)).await;
                    reply.done(&WorktreeRemoved { path, branch, branch_deleted });
                }
                Err(why) => reply.refuse(refusal(&path, why)),
            }
        });
    }

    /// Returns a pane whose program is running in a directory.
    fn pane_in(&self, directory: &Path) -> Option<PaneId> {
        let world = self.world();
        let is_running = |pane: &PaneId| world.panes.get(pane).is_some_and(|pane| pane.run().is_some());
        let panes = self.panes.directories().into_iter().filter(|(pane, _)| is_running(pane));
        panes.into_iter().find(|(_, current)| current.starts_with(directory)).map(|(pane, _)| pane)
    }
}

/// Replies with worktrees and their states, which git is asked for.
pub(crate) fn reply_with_states(views: Vec<WorktreeView>, reply: Reply) {
    tasks::spawn_local(async move {
        let share = views.len().div_ceil(AT_A_TIME).max(1);
        let with_states = |some: &[WorktreeView]| {
            let some = some.to_vec();
            spawn_blocking(move || some.into_iter().map(with_state).collect::<Vec<_>>())
        };
        let tasks: Vec<_> = views.chunks(share).map(with_states).collect();
        let mut worktrees = Vec::new();
        for (task, asked) in tasks.into_iter().zip(views.chunks(share)) {
            worktrees.extend(task.await.unwrap_or_else(|_| asked.to_vec()));
        }
        reply.done(&WorktreeList { worktrees });
    });
}

fn with_state(view: WorktreeView) -> WorktreeView {
    let state = worktree::state(Path::new(&view.path));
    WorktreeView { state, ..view }
}
