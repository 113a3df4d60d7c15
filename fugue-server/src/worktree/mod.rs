//! Worktrees that sessions work in: made, inspected and removed by git. All of this blocks, so it runs on threads of its
//! own.

mod copied_files;
mod git;
mod make;
mod plan;
mod remove;
mod state;
mod teardown;

pub(crate) use make::{MadeWorktree, make, undo};
pub(crate) use plan::WorktreeRequest;
pub(crate) use remove::{Removal, remove};
pub(crate) use state::state;
