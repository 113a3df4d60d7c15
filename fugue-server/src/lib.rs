//! The daemon's edge: sockets, terminals, files and clocks. It makes no decisions: it reports what happened to the core
//! and carries out the effects that the core returns.

mod boot;
mod channels;
mod client;
mod clock;
mod config;
mod crash_record;
mod fd_readiness;
mod hooks;
mod input_ledger;
mod journal;
mod keeper_link;
mod last_message;
mod last_screens;
mod listener;
mod logs;
mod pane;
mod processes;
mod program_start;
mod recorded_screen;
mod replies;
mod repository;
mod session;
mod tasks;
mod termination;
mod user_command;
mod worktree;

pub use boot::{DaemonOptions, run};
pub use config::agent_table_file::{path as agent_table_path, read as read_agent_table};
#[doc(hidden)]
pub use journal::count_copy_records;
#[doc(hidden)]
pub use last_message::last_text_of;
pub use program_start::tmux_link;
pub use recorded_screen::RecordedScreen;
