//! tmux's language: its commands, how lines are read, formats and layouts. Nothing here reads a file, a clock or the
//! environment: whoever runs a line hands in what it is about.

pub mod commands;
mod context;
pub mod daemon_end;
pub mod flags;
pub mod format;
pub mod layout;
mod line;
pub mod options;
pub mod reader;
pub mod steps;

#[cfg(test)]
mod tests;

pub use commands::command_table;
pub use context::{HookName, LineSetting, OwnClient, OwnSettings, VERSION};
pub use line::{Line, Progress};
