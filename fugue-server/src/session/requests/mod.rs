//! Requests that take more than one decision: who makes them, what they wait for, and repetitions.

pub(crate) mod caller_identity;
pub(crate) mod delayed_requests;
pub(crate) mod edge_requests;
pub(crate) mod event_waits;
pub(crate) mod lease_names;
pub(crate) mod multi_wait;
pub(crate) mod parallel_output;
pub(crate) mod pending_requests;
pub(crate) mod repeated_calls;
pub(crate) mod retries;
pub(crate) mod unread_counts;
