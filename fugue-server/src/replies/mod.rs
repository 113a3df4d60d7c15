//! Replies to requests: each is sent exactly once, bounded in memory, and stored if its request may be repeated.

pub(crate) mod answer_store;
pub(crate) mod keyed_call;
pub(crate) mod read_gate;
pub(crate) mod reply;
pub(crate) mod unwritten_replies;
