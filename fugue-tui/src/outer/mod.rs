//! The terminal in which the client runs: its modes, its keyboard, its signals.

pub(crate) mod clipboard;
pub(crate) mod input;
pub(crate) mod output;
mod parse;
pub(crate) mod raw;
pub(crate) mod replies;
pub(crate) mod signals;
pub(crate) mod waits;
