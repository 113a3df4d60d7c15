//! The terminal in which the client runs: its modes, its input and output, its signals.

pub(crate) mod abilities;
pub(crate) mod clipboard;
pub(crate) mod input_decoder;
mod input_parser;
pub(crate) mod output;
pub(crate) mod poller;
pub(crate) mod raw_mode;
pub(crate) mod signals;
mod terminal_record;
pub(crate) mod terminal_replies;
pub(crate) mod terminal_type;
