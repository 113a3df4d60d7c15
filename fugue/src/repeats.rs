//! Calls that are made again when the daemon went away under them: what they do is done once all the same, since they only
//! look, or carry a key by which the daemon knows them again.

use std::time::Duration;

use fugue_protocol::verbs::Nature;
use fugue_protocol::{Key, Verb};

/// A daemon that goes away more often than this under one call does not come back.
const TRIES: usize = 5;

/// How often a call may be made.
pub(crate) fn tries(verb: &Verb) -> usize {
    let keyed = matches!(
        verb,
        Verb::SendOrchestration(_)
            | Verb::RequestHelp(_)
            | Verb::Broadcast(_)
            | Verb::ReportStatus(_)
            | Verb::Claim(_)
            | Verb::PollMessages(_)
    );
    if keyed || verb.nature() == Nature::Reads { TRIES } else { 1 }
}

/// The same call with a key of its own, where a key makes it one.
pub(crate) fn with_key(mut verb: Verb) -> Verb {
    let wanted = match &mut verb {
        Verb::SendOrchestration(send) => &mut send.idempotency_key,
        Verb::RequestHelp(ask) => &mut ask.idempotency_key,
        Verb::Broadcast(tell) => &mut tell.idempotency_key,
        Verb::ReportStatus(report) => &mut report.idempotency_key,
        Verb::Claim(claim) => &mut claim.idempotency_key,
        _ => return verb,
    };
    *wanted = wanted.take().or_else(key);
    verb
}

/// A key that no other call has.
fn key() -> Option<Key> {
    fugue_client::random_key("cli").parse().ok()
}

/// The same call after it has waited so long already: it waits for what is left.
pub(crate) fn after(mut verb: Verb, waited: Duration) -> Verb {
    let left = |wait: u64| {
        let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        // None at all would mean something else: do not wait.
        if wait == 0 { 0 } else { wait.saturating_sub(waited).max(1) }
    };
    match &mut verb {
        Verb::SendOrchestration(send) => send.wait_ms = send.wait_ms.map(left),
        Verb::RequestHelp(ask) => ask.wait_ms = ask.wait_ms.map(left),
        Verb::Claim(claim) => claim.wait_ms = claim.wait_ms.map(left),
        Verb::PollMessages(poll) => poll.wait_ms = left(poll.wait_ms),
        _ => {}
    }
    verb
}
