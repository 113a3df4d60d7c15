//! Processes of this machine: the ancestors of callers, the daemon's neighbors, and what outlived its pane.

pub(crate) mod listening_sockets;
pub(crate) mod neighbor_processes;
pub(crate) mod own_executable;
pub(crate) mod pane_keys;
pub(crate) mod process_ancestors;
pub(crate) mod process_command;
pub(crate) mod process_stat_files;
pub(crate) mod survivors;
