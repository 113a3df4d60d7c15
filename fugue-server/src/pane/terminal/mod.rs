//! A pane's terminal: reading its output at a pace that leaves room for others, and writing input to it.

pub(crate) mod client_terminal;
pub(crate) mod flood_pace;
pub(crate) mod output;
pub(crate) mod output_ceiling;
pub(crate) mod pty_readiness;
pub(crate) mod sync_update;
pub(crate) mod terminal_io;
