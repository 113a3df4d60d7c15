//! The daemon's edge: sockets, terminals, files and clocks. It makes no decisions: it reports what happened to the core
//! and carries out the effects that the core returns.

mod agent_table_file;
mod answer_store;
mod audit_log;
mod boot;
mod client;
mod clock;
mod config;
mod crash_record;
mod fd_readiness;
mod file_changes;
mod hooks;
mod input_ledger;
mod journal;
mod keeper_link;
mod keeper_process;
mod keyed_call;
mod last_message;
mod last_scopes;
mod last_screens;
mod listener;
mod listening_sockets;
mod local_queue;
mod local_watch;
mod log_file;
mod neighbor_processes;
mod own_executable;
mod pane;
mod pane_keys;
mod process_ancestors;
mod process_command;
mod process_stat_files;
mod published_address;
mod read_gate;
mod recorded_screen;
mod repeated_refusals;
mod reply;
mod repository;
mod session;
mod setup_script;
mod shell_integration;
mod spawn_environment;
mod ssh_agent;
mod survivors;
mod tasks;
mod termination;
pub mod tmux_link;
mod unwritten_replies;
mod user_command;
mod worktree;

pub use agent_table_file::{path as agent_table_path, read as read_agent_table};
pub use boot::{DaemonOptions, run};
#[doc(hidden)]
pub use journal::count_copy_records;
#[doc(hidden)]
pub use last_message::last_text_of;
pub use recorded_screen::RecordedScreen;
