//! Calls that wait for a message or a lease. Like other waits each has a connection of its own: closing it is how the
//! daemon learns that nobody waits any more.

use std::time::{Duration, Instant};

use fugue_client::{Call, Link, Trouble};
use fugue_protocol::limits;
use fugue_protocol::verbs::RunParallel;
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::handlers::call;
use super::order::Ticket;
use super::waiting::progress;
use super::{Bridge, Reached, ended};
use crate::answers::{self, Room};
use crate::tools::Entry;

/// A daemon that goes away so often during one wait will not stay.
const ATTEMPTS: u32 = 5;

/// Unless more is asked for, a page of messages is what a model reads without losing sight of its task.
const PAGE: u64 = 14 << 10;

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
        "send-orchestration" => drop(args.entry("idempotency_key").or_insert_with(|| key().into())),
        _ => {}
    }
    args
}

/// Chance enough that no two calls have the same.
fn key() -> String {
    use std::hash::{BuildHasher, RandomState};
    let chance = |salt: u64| RandomState::new().hash_one(salt);
    format!("mcp-{:016x}{:016x}", chance(1), chance(2))
}

/// Whether a call may be made again when the daemon went away under it: what it does is done once all the same.
pub(super) fn repeats(entry: &Entry) -> bool {
    matches!(entry.verb, "poll-messages" | "send-orchestration" | "claim")
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
        let reached = match self.reach() {
            Ok(reached) => reached,
            Err(trouble) => return answers::refused(entry, &trouble),
        };
        if let Some(ticket) = ticket {
            ticket.turn().await;
        }
        let _place = self.waits.acquire().await;
        let until = Instant::now() + wait;
        tokio::select! {
            answer = awaited(entry, args, &reached, until) => match answer {
                Ok(reply) => answers::result(entry, Ok(reply), Room::USUAL),
                Err(trouble) => self.refused(entry, trouble).await,
            },
            () = progress(context, until) => CallToolResult::default(),
            () = ended(self.ended.clone()) => CallToolResult::error(vec![ContentBlock::text("the input has ended")]),
        }
    }
}

async fn awaited(
    entry: &Entry,
    mut args: Map<String, Value>,
    reached: &Reached,
    until: Instant,
) -> Result<Box<RawValue>, Trouble> {
    let mut attempts = 0..if repeats(entry) { ATTEMPTS } else { 0 };
    loop {
        let left = until.saturating_duration_since(Instant::now());
        args.insert("wait_ms".into(), (left.as_millis() as u64).max(1).into());
        let call = Call { repeatable: false, ..call(entry, &args)? };
        match Link::new(reached.dial.clone()).call(call).await {
            Err(Trouble::Lost(_)) if attempts.next().is_some() => {}
            answer => return answer,
        }
    }
}
