//! The programs of panes: they are started, hosted and found again, in worktrees and on terminals.

pub(crate) mod git_locations;
pub(crate) mod git_lookups;
pub(crate) mod lost_panes;
pub(crate) mod panes;
pub(crate) mod pending_spawns;
pub(crate) mod pending_worktrees;
pub(crate) mod program_host;
pub(crate) mod session_terminals;
pub(crate) mod spawn_reports;
pub(crate) mod worktrees;
