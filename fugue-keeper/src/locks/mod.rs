//! The locks with which processes agree on who starts a daemon and which daemon owns a state directory.

pub(crate) mod instance;
pub(crate) mod start;
