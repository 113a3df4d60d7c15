//! Waits. Each has a connection of its own: closing it is how a wait is let go, and however many there are, they take
//! no room from other calls.

use std::time::{Duration, Instant};

use fugue_client::{Call, CallError, SharedConnection, StartPolicy};
use fugue_protocol::verbs::{GetServerStatus, Run, VerbSpec, Wait};
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::service::RequestContext;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::handlers::{call, gone};
use super::order::Ticket;
use super::{Bridge, Reached, ended};
use crate::answers::{self, Room};
use crate::tools::Entry;

/// One call waits no longer: agents put what takes two minutes into the background, or end it.
const MOST: Duration = Duration::from_secs(110);

/// Waits under way at a time: each takes a descriptor, here and in the daemon. More wait for their turn.
pub(super) const WAITS: usize = 256;

/// A daemon that goes away so often during one wait will not stay.
pub(super) const ATTEMPTS: u32 = 5;

/// So often a client that wants to know is told that the wait goes on.
const PROGRESS: Duration = Duration::from_secs(2);

/// What waits differ in.
pub(super) struct Manner {
    /// The argument that says how long.
    pub(super) budget: &'static str,
    pub(super) patience: Duration,
    /// How often it is begun anew when the daemon goes away.
    pub(super) attempts: u32,
    /// What was asked for before must be taken in first.
    pub(super) fenced: bool,
}

impl Bridge {
    pub(super) async fn wait(
        &self,
        entry: &Entry,
        args: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        ticket: Option<Ticket>,
    ) -> CallToolResult {
        let patience = patience(&args, Wait::TIMEOUT_MS);
        let manner = Manner { budget: "timeout_ms", patience, attempts: ATTEMPTS, fenced: true };
        self.wait_so(entry, args, manner, context, ticket).await
    }

    /// Waits in its turn, over a connection of its own, until there is an answer or nobody wants it any more.
    pub(super) async fn wait_so(
        &self,
        entry: &Entry,
        args: Map<String, Value>,
        manner: Manner,
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
        let until = Instant::now() + manner.patience;
        tokio::select! {
            answer = waited(entry, args, &reached, until, &manner) => match answer {
                Ok(reply) => answers::result(entry, Ok(reply), Room::USUAL),
                Err(trouble) => self.refused(entry, trouble).await,
            },
            () = progress(context, until) => CallToolResult::default(),
            () = ended(self.ended.clone()) => CallToolResult::error(vec![ContentBlock::text("the input has ended")]),
        }
    }
}

impl Bridge {
    /// Runs a command: in its turn, over the connection of all calls, and never twice.
    pub(super) async fn run(
        &self,
        entry: &Entry,
        mut args: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        ticket: Option<Ticket>,
    ) -> CallToolResult {
        let patience = patience(&args, Run::TIMEOUT_MS);
        args.insert("timeout_ms".into(), (patience.as_millis() as u64).into());
        let room = if args.contains_key("lines") { Room::MOST } else { Room::USUAL };
        let told = match (self.reach(), call(entry, &args)) {
            (Ok(reached), Ok(call)) => {
                if let Some(ticket) = &ticket {
                    ticket.turn().await;
                }
                reached.link.start_call(call)
            }
            (Err(trouble), _) | (_, Err(trouble)) => return answers::refused(entry, &trouble),
        };
        drop(ticket);
        tokio::select! {
            answer = told => match answer {
                Ok(Ok(reply)) => answers::result(entry, Ok(reply), room),
                answer => self.refused(entry, answer.ok().and_then(Result::err).unwrap_or_else(gone)).await,
            },
            () = progress(context, Instant::now() + patience) => CallToolResult::default(),
            () = ended(self.ended.clone()) => CallToolResult::error(vec![ContentBlock::text("the input has ended")]),
        }
    }
}

/// What arrived before has been taken in by the daemon when this is answered.
async fn fence(reached: &Reached) {
    if let Ok(args) = to_raw_value(&GetServerStatus {}) {
        let (verb, starting) = (GetServerStatus::NAME, StartPolicy::IfNeeded);
        let _ = reached.link.call(Call { verb, args, repeatable: true, starting }).await;
    }
}

/// How long a call may wait.
fn patience(args: &Map<String, Value>, usual: u64) -> Duration {
    let wanted = args.get("timeout_ms").and_then(Value::as_u64).unwrap_or(usual);
    Duration::from_millis(wanted).min(MOST)
}

/// Waits, over a restart of the daemon if need be, for as long as is left.
async fn waited(
    entry: &Entry,
    mut args: Map<String, Value>,
    reached: &Reached,
    until: Instant,
    manner: &Manner,
) -> Result<Box<RawValue>, CallError> {
    if manner.fenced {
        fence(reached).await;
    }
    let mut attempts = 0..manner.attempts;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        // None at all would mean something else: do not wait.
        args.insert(manner.budget.into(), (left.as_millis() as u64).max(1).into());
        let call = Call { repeatable: false, ..call(entry, &args)? };
        match SharedConnection::new(reached.dial.clone()).call(call).await {
            Err(CallError::Lost(_)) if !left.is_zero() && attempts.next().is_some() => {}
            answer => return answer,
        }
    }
}

/// Tells a client that asked for it how the wait goes on. Never ends.
async fn progress(context: &RequestContext<RoleServer>, until: Instant) {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let (begun, total) = (Instant::now(), until.saturating_duration_since(Instant::now()).as_secs_f64());
    loop {
        tokio::time::sleep(PROGRESS).await;
        let told = ProgressNotificationParam::new(token.clone(), begun.elapsed().as_secs_f64())
            .with_total(total)
            .with_message(format!("waiting, {} s", begun.elapsed().as_secs()));
        let _ = context.peer.notify_progress(told).await;
    }
}
