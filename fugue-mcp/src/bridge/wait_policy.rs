//! How a call that waits is made: for how long, and what happens when the daemon goes away meanwhile.

use std::time::Duration;

use fugue_protocol::limits;
use fugue_protocol::verbs::Wait;
use serde_json::{Map, Value};

use super::retry;
use crate::tools::ToolEntry;

/// The longest a single call waits. Agents move a call that takes two minutes to the background, or kill it.
const MAX_WAIT: Duration = Duration::from_secs(110);

/// How often a wait is started again before the daemon is considered gone.
const ATTEMPTS: u32 = 5;

/// The properties in which waiting calls differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WaitPolicy {
    /// The argument that says how long to wait. It is updated to the time left on each attempt.
    pub(super) time_argument: &'static str,
    pub(super) timeout: Duration,
    /// How often the call is repeated when the daemon goes away.
    pub(super) attempts: u32,
    /// Whether the daemon must have processed all earlier calls first.
    pub(super) fenced: bool,
}

impl WaitPolicy {
    /// The policy for a call, or `None` if it does not wait.
    pub(super) fn of(entry: &ToolEntry, args: &Map<String, Value>) -> Option<Self> {
        if let Some(timeout) = message_wait(args) {
            let attempts = if retry::is_safe(entry) { ATTEMPTS } else { 0 };
            return Some(Self { time_argument: "wait_ms", timeout, attempts, fenced: false });
        }
        (entry.verb == "wait").then(|| {
            let timeout = timeout(args, Wait::TIMEOUT_MS);
            Self { time_argument: "timeout_ms", timeout, attempts: ATTEMPTS, fenced: true }
        })
    }
}

/// The `timeout_ms` of a call, within the limit.
pub(super) fn timeout(args: &Map<String, Value>, default: u64) -> Duration {
    let wanted = args.get("timeout_ms").and_then(Value::as_u64).unwrap_or(default);
    Duration::from_millis(wanted).min(MAX_WAIT)
}

/// How long a call waits for a message or a lease, if it does.
fn message_wait(args: &Map<String, Value>) -> Option<Duration> {
    let wait = args.get("wait_ms").and_then(Value::as_u64).filter(|wait| *wait > 0)?;
    Some(Duration::from_millis(wait.min(limits::MESSAGE_WAIT_MS)))
}
