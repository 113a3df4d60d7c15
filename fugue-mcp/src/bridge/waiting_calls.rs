//! Calls that wait. Most have a connection of their own: closing it is how the daemon learns that nobody waits any more, and
//! any number of waits leaves the shared connection free for other calls.

use std::time::{Duration, Instant};

use fugue_client::{Call, CallError, SharedConnection, StartPolicy};
use fugue_protocol::render::TextBudget;
use fugue_protocol::verbs::{GetServerStatus, VerbSpec};
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::service::RequestContext;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Bridge;
use super::call_log::CallLog;
use super::call_order::CallTicket;
use super::daemon_link::DaemonAccess;
use super::handlers::{call, connection_lost, text_budget};
use super::input_end::input_ended;
use super::wait_policy::WaitPolicy;
use crate::results;
use crate::tools::ToolEntry;

/// How often a client that asked for progress is notified.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

impl Bridge {
    /// Waits over a connection of its own until there is a reply or the input ends.
    pub(super) async fn wait(
        &self,
        entry: &ToolEntry,
        args: Map<String, Value>,
        policy: WaitPolicy,
        context: &RequestContext<RoleServer>,
        ticket: Option<CallTicket>,
    ) -> CallToolResult {
        let link = match self.link() {
            Ok(link) => link,
            Err(error) => return results::failure(entry, &error),
        };
        if let Some(ticket) = ticket {
            ticket.turn().await;
        }
        let _permit = self.waits.acquire().await;
        let purpose = policy.purpose.words(&args);
        let deadline = Instant::now() + policy.timeout;
        tokio::select! {
            reply = wait_until(entry, args, &link, deadline, policy) => match reply {
                Ok(reply) => results::success(entry, &reply, TextBudget::DEFAULT),
                Err(error) => self.failure(entry, error).await,
            },
            () = report_progress(context, deadline, &purpose) => CallToolResult::default(),
            () = input_ended(self.ended.clone()) => abandoned(),
        }
    }

    /// Waits for the reply to a call over the shared connection, which is made only once.
    pub(super) async fn wait_in_turn(
        &self,
        entry: &ToolEntry,
        mut args: Map<String, Value>,
        policy: WaitPolicy,
        context: &RequestContext<RoleServer>,
        ticket: Option<CallTicket>,
    ) -> CallToolResult {
        args.insert(policy.time_argument.into(), (policy.timeout.as_millis() as u64).into());
        let (budget, purpose) = (text_budget(&args), policy.purpose.words(&args));
        let reply = match self.send(entry, &args, ticket).await {
            Ok(reply) => reply,
            Err(error) => return results::failure(entry, &error),
        };
        tokio::select! {
            reply = reply => match reply {
                Ok(Ok(reply)) => results::success(entry, &reply, budget),
                Ok(Err(error)) => self.failure(entry, error).await,
                Err(_) => self.failure(entry, connection_lost()).await,
            },
            () = report_progress(context, Instant::now() + policy.timeout, &purpose) => CallToolResult::default(),
            () = input_ended(self.ended.clone()) => abandoned(),
        }
    }
}

/// The result of a call whose client has closed its end; nobody reads it.
fn abandoned() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text("Standard input was closed")])
}

/// A call that was made this long before its daemon ended is not counted as an attempt.
const UNRELATED: Duration = Duration::from_secs(10);

/// Waits until the deadline, across restarts of the daemon if the policy allows.
async fn wait_until(
    entry: &ToolEntry,
    mut args: Map<String, Value>,
    link: &DaemonAccess,
    deadline: Instant,
    policy: WaitPolicy,
) -> Result<Box<RawValue>, CallError> {
    if policy.fenced {
        fence(link).await;
    }
    let mut attempts = 0..policy.attempts;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        // Zero would mean "do not wait".
        args.insert(policy.time_argument.into(), (left.as_millis() as u64).max(1).into());
        let call = Call { repeatable: false, ..call(entry, &args)? };
        let asked = Instant::now();
        match SharedConnection::new(link.endpoint.clone()).call(call).await {
            // A daemon that ends so much later does not end because of this call.
            Err(CallError::Lost(_)) if !left.is_zero() && asked.elapsed() > UNRELATED => {}
            Err(CallError::Lost(_)) if !left.is_zero() && attempts.next().is_some() => {}
            reply => return reply,
        }
    }
}

/// Makes a round trip over the shared connection: once it is answered, the daemon has processed all earlier calls.
async fn fence(link: &DaemonAccess) {
    if let Ok(args) = to_raw_value(&GetServerStatus {}) {
        let (verb, starting) = (GetServerStatus::NAME, StartPolicy::IfNeeded);
        let _ = link.connection.call(Call { verb, args, repeatable: true, starting }).await;
    }
}

/// Notifies a client that asked for it of the progress of a wait, and logs it. Never returns.
async fn report_progress(context: &RequestContext<RoleServer>, deadline: Instant, purpose: &str) {
    let (token, log) = (context.meta.get_progress_token(), context.extensions.get::<CallLog>());
    if token.is_none() && log.is_none() {
        return std::future::pending().await;
    }
    let start = Instant::now();
    let total = deadline.saturating_duration_since(start).as_secs_f64();
    loop {
        tokio::time::sleep(PROGRESS_INTERVAL).await;
        if let Some(log) = log {
            log.waiting().await;
        }
        let Some(token) = token.clone() else { continue };
        let progress = ProgressNotificationParam::new(token, start.elapsed().as_secs_f64())
            .with_total(total)
            .with_message(format!("waiting for {purpose}, {} s", start.elapsed().as_secs()));
        let _ = context.peer.notify_progress(progress).await;
    }
}
