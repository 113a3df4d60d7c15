//! The link between daemon and keeper: the connection, its messages and the queue of those for the daemon.

pub(crate) mod codec;
pub(crate) mod connection;
pub(crate) mod messages;
pub(crate) mod outbox;
pub(crate) mod spawn_body;
