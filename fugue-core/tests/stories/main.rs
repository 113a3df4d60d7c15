//! Tests of the machine: commands of people and agents, and the world that results.

#[path = "../story/mod.rs"]
mod story;

mod agents;
mod buffers;
mod callers;
mod clients;
mod concurrent_requests;
mod confinement;
mod conversations;
mod create_layout;
mod fleet;
mod fleet_groups;
mod inboxes;
mod layouts;
mod leases;
mod limits;
mod messages;
mod notifications;
mod pane_moves;
mod parallel;
mod permissions;
mod popups;
mod program_exits;
mod program_starts;
mod quotas;
mod references;
mod replies;
mod restore;
mod scopes;
mod sessions;
mod spawn;
mod splits;
mod tags_and_metadata;
mod terminal;
mod tmux_state;
mod waits;
mod windows;
mod worktrees;
mod zoom;
