//! Channels between tasks of the daemon's one thread, which take less than those that work between threads.

pub(crate) mod local_queue;
pub(crate) mod local_watch;
