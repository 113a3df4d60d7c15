//! Storing what was decided: events, messages and replies, and what follows once they are stored.

pub(crate) mod batch;
pub(crate) mod commit;
pub(crate) mod event_stream;
pub(crate) mod message_storage;
pub(crate) mod store;
pub(crate) mod unstored_facts;
pub(crate) mod unstored_reports;
