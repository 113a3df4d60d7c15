//! How a call that waits is made: for how long, how many at a time, and what happens when the daemon goes away meanwhile.

use std::time::Duration;

use fugue_protocol::limits;
use fugue_protocol::verbs::WaitPurpose;
use serde_json::{Map, Value};

use crate::tools::ToolEntry;

/// The number of waits in progress at a time. Each takes a file descriptor here and in the daemon; further waits queue.
pub(super) const MAX_WAITS: usize = 256;

/// How often a wait is started again before the daemon is considered gone.
const ATTEMPTS: u32 = 5;

/// The properties in which waiting calls differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WaitPolicy {
    /// The argument that says how long to wait. It is updated to the time left on each attempt.
    pub(super) time_argument: &'static str,
    pub(super) timeout: Duration,
    /// What the call waits for.
    pub(super) purpose: WaitPurpose,
    /// How often the call is repeated when the daemon goes away.
    pub(super) attempts: u32,
    /// Whether the call has a connection of its own. Otherwise it goes over the shared one and is never repeated.
    pub(super) own_connection: bool,
    /// Whether the daemon must have processed all earlier calls first.
    pub(super) fenced: bool,
}

impl WaitPolicy {
    /// The policy for a call, or `None` if it does not wait.
    pub(super) fn of(entry: &ToolEntry, args: &Map<String, Value>) -> Option<Self> {
        let wait = entry.verb.properties.wait?;
        let requested = args.get(wait.name).and_then(Value::as_u64).unwrap_or(wait.default_ms);
        (requested > 0).then(|| Self {
            time_argument: wait.name,
            timeout: Duration::from_millis(requested.min(limits::MESSAGE_WAIT_MS)),
            purpose: wait.purpose,
            attempts: if entry.verb.may_repeat() { ATTEMPTS } else { 0 },
            own_connection: wait.own_connection,
            fenced: wait.after_earlier_calls,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(tool: &str, args: Value) -> Option<WaitPolicy> {
        WaitPolicy::of(crate::tools::find(tool).unwrap(), args.as_object().unwrap())
    }

    #[test]
    fn a_call_waits_as_long_as_it_asks_up_to_the_limit() {
        assert_eq!(policy("fugue_get_tags", json!({})), None);
        assert_eq!(policy("fugue_poll_messages", json!({})), None);
        let polled = policy("fugue_poll_messages", json!({ "wait_ms": 500 })).unwrap();
        assert_eq!((polled.time_argument, polled.timeout), ("wait_ms", Duration::from_millis(500)));
        assert_eq!((polled.attempts, polled.fenced), (ATTEMPTS, false));
        let waited = policy("fugue_wait", json!({ "timeout_ms": 600_000 })).unwrap();
        assert_eq!((waited.timeout, waited.fenced), (Duration::from_secs(110), true));
    }

    #[test]
    fn a_command_runs_over_the_shared_connection() {
        assert!(!policy("fugue_run", json!({})).unwrap().own_connection);
    }
}
