//! Wall-clock time and randomness: the core is pure, so both are handed to it.

use std::time::{SystemTime, UNIX_EPOCH};

use fugue_protocol::Timestamp;

/// Returns the current wall-clock time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Returns 64 random bits, from which the core generates the ids of a request.
pub(crate) fn seed() -> u64 {
    getrandom::u64().expect("the kernel provides random bytes")
}
