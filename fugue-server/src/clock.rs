//! Time and chance, which the core is told.

use std::time::{SystemTime, UNIX_EPOCH};

use fugue_protocol::Timestamp;

/// Now.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Sixty-four bits of chance: from these a request's ids are made.
pub(crate) fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
