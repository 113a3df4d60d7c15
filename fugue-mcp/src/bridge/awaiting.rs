//! Calls that wait for a message or a lease. Like other waits each has a connection of its own: closing it is how the
//! daemon learns that nobody waits any more.

use std::time::Duration;

use fugue_client::random_key;
use fugue_protocol::limits;
use fugue_protocol::verbs::RunParallel;
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};

use super::Bridge;
use super::order::Ticket;
use super::waiting::{ATTEMPTS, Manner};
use crate::tools::Entry;

/// Unless more is asked for, a page of messages is what a model reads without losing sight of its task.
const PAGE: u64 = 14 << 10;

/// Calls that a key makes safe to repeat.
const KEYED: [&str; 4] = ["send-orchestration", "request-help", "broadcast", "report-status"];

/// How long a call waits for a message, if it does.
pub(super) fn wait_of(args: &Map<String, Value>) -> Option<Duration> {
    let wait = args.get("wait_ms").and_then(Value::as_u64).filter(|wait| *wait > 0)?;
    Some(Duration::from_millis(wait.min(limits::MESSAGE_WAIT_MS)))
}

/// The arguments with what a bridge adds: pages that a model can read, and a key that makes a send safe to repeat.
pub(super) fn prepared(entry: &Entry, mut args: Map<String, Value>) -> Map<String, Value> {
    match entry.verb {
        "poll-messages" => drop(args.entry("max_bytes").or_insert_with(|| PAGE.into())),
        "run-parallel" => drop(args.entry("wait_ms").or_insert_with(|| RunParallel::WAIT_MS.into())),
        verb if KEYED.contains(&verb) => {
            args.entry("idempotency_key").or_insert_with(|| random_key("mcp").into());
        }
        _ => {}
    }
    args
}

/// Whether a call may be made again when the daemon went away under it: what it does is done once all the same.
pub(super) fn repeats(entry: &Entry) -> bool {
    matches!(entry.verb, "poll-messages" | "claim") || KEYED.contains(&entry.verb)
}

impl Bridge {
    pub(super) async fn await_message(
        &self,
        entry: &Entry,
        args: Map<String, Value>,
        wait: Duration,
        context: &RequestContext<RoleServer>,
        ticket: Option<Ticket>,
    ) -> CallToolResult {
        let attempts = if repeats(entry) { ATTEMPTS } else { 0 };
        let manner = Manner { budget: "wait_ms", patience: wait, attempts, fenced: false };
        self.wait_so(entry, args, manner, context, ticket).await
    }
}
