//! The wall clock.

use fugue_protocol::Timestamp;

/// The current time.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(u64::try_from(chrono::Utc::now().timestamp_millis()).unwrap_or_default())
}
