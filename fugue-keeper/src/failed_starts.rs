//! Daemons that ended before they served.

use std::time::Instant;

/// The starts of daemons since one served.
#[derive(Default)]
pub(crate) struct FailedStarts {
    pub count: u32,
    pub last_start: Option<Instant>,
    /// Whether a client was waiting when the last start began. One that came later is not told the outcome: the reason
    /// may be gone by then.
    pub asked_for: bool,
}
