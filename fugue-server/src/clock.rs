//! Time and chance, which the core is told.

use std::time::{SystemTime, UNIX_EPOCH};

use fugue_protocol::Timestamp;

/// Now.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Returns 64 random bits, from which the ids that a request creates are derived.
pub(crate) fn seed() -> u64 {
    getrandom::u64().expect("the kernel provides random bytes")
}
