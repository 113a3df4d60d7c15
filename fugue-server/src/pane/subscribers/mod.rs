//! Those who follow a pane: clients that show its screen, and clients that record its output.

pub(crate) mod list;
pub(crate) mod recording_buffer;
pub(crate) mod subscriber;
