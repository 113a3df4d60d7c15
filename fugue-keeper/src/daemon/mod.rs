//! The daemon as the keeper sees it: how it is started, watched, replaced and asked for something.

pub(crate) mod adopted;
pub(crate) mod backoff;
pub(crate) mod fds;
pub(crate) mod last_exit;
pub(crate) mod lifecycle;
pub(crate) mod process;
pub(crate) mod requests;
pub(crate) mod rollback;
pub(crate) mod trial;
pub(crate) mod waiting_clients;
