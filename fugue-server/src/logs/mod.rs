//! The daemon's log, and the audit log of what callers did beyond their own session.

pub(crate) mod audit_log;
pub(crate) mod log_file;
pub(crate) mod repeated_refusals;
