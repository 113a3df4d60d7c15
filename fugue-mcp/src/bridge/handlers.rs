//! The life of a tool call: its arguments are read and checked, it is sent to the daemon in its turn, and the reply is
//! rendered.

use std::time::Duration;

use fugue_client::{Call, CallError, StartPolicy};
use fugue_protocol::refusal::Refused;
use fugue_protocol::render::TextBudget;
use fugue_protocol::verbs::{GetServerStatus, ListSessions, WithoutDaemon};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ErrorData};
use rmcp::service::RequestContext;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::Bridge;
use super::call_log::CallLog;
use super::call_order::CallTicket;
use super::wait_policy::WaitPolicy;
use crate::arguments::{self, checks};
use crate::help;
use crate::results::{self, candidates};
use crate::tools::{self, ToolEntry};

/// How long to wait for a reply before the daemon counts as hung: far longer than any verb takes, shorter than clients
/// wait.
const REPLY_TIMEOUT: Duration = Duration::from_secs(45);

impl Bridge {
    /// Handles a tool call until it is cancelled, and logs it for a client that asked for that.
    pub(super) async fn logged_call(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let ticket = context.extensions.remove::<CallTicket>();
        let log = CallLog::begin(&self.log_level, &request.name, &context).await;
        if let Some(log) = &log {
            context.extensions.insert(log.clone());
        }
        let cancelled = context.ct.clone();
        self.start_push(&context);
        let result = tokio::select! {
            result = self.handle_call(request, &context, ticket) => {
                result.map(|result| results::with_unread(result, self.unread()))
            }
            // Nobody reads this result; the point is that the call is dropped.
            () = cancelled.cancelled() => Ok(CallToolResult::error(vec![ContentBlock::text("cancelled")])),
        };
        if let Some(log) = log {
            log.end(&result).await;
        }
        result
    }

    /// Handles a tool call. Every failure is a result, because models do not see protocol errors; only a tool that does not
    /// exist is one, as MCP demands.
    async fn handle_call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        ticket: Option<CallTicket>,
    ) -> Result<CallToolResult, ErrorData> {
        if request.name == tools::HELP {
            return Ok(help::call(&request.arguments.unwrap_or_default(), &self.profile));
        }
        let entry = tools::find(&request.name).ok_or_else(|| results::unknown_tool(&request.name))?;
        let given = arguments::without_blanks(entry, request.arguments.unwrap_or_default());
        if let Err(rejection) = checks::check_names(entry, &given) {
            return Ok(results::rejected(entry, rejection));
        }
        let notes = checks::notes(entry, &given);
        let args = arguments::read(&entry.arguments, given);
        let result = match checks::check_values(
            entry,
            &args,
            self.agent(context).is_some_and(|agent| agent.has_inbox()),
        ) {
            Ok(()) => self.dispatch(entry, args, context, ticket).await,
            Err(rejection) => results::rejected(entry, rejection),
        };
        Ok(results::with_notes(result, &notes))
    }

    async fn dispatch(
        &self,
        entry: &ToolEntry,
        args: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        ticket: Option<CallTicket>,
    ) -> CallToolResult {
        let args = arguments::with_defaults(entry, args);
        match WaitPolicy::of(entry, &args) {
            Some(policy) if policy.own_connection => {
                let result = self.wait(entry, args, policy, context, ticket).await;
                // The reply came over another connection; a round trip over the shared one renews its unread count.
                let _ = self.read(&GetServerStatus {}).await;
                result
            }
            Some(policy) => self.wait_in_turn(entry, args, policy, context, ticket).await,
            None => self.request(entry, args, ticket).await,
        }
    }

    async fn request(
        &self,
        entry: &ToolEntry,
        args: Map<String, Value>,
        ticket: Option<CallTicket>,
    ) -> CallToolResult {
        let reply = match self.send(entry, &args, ticket).await {
            Ok(reply) => reply,
            Err(error) => return results::failure(entry, &error),
        };
        match tokio::time::timeout(REPLY_TIMEOUT, reply).await {
            Ok(Ok(Ok(reply))) => results::success(entry, &reply, text_budget(&args)),
            Ok(Ok(Err(error))) => self.failure(entry, error).await,
            Ok(Err(_)) => self.failure(entry, connection_lost()).await,
            Err(_) => results::no_answer(entry, REPLY_TIMEOUT.as_secs()),
        }
    }

    /// Sends a call over the shared connection when its turn comes. The turn passes on once the call is sent.
    pub(super) async fn send(
        &self,
        entry: &ToolEntry,
        args: &Map<String, Value>,
        ticket: Option<CallTicket>,
    ) -> Result<oneshot::Receiver<Result<Box<RawValue>, CallError>>, CallError> {
        let (link, call) = (self.link()?, call(entry, args)?);
        if let Some(ticket) = &ticket {
            ticket.turn().await;
        }
        Ok(link.connection.start_call(call))
    }

    /// The result of a failed call. If something was not found, it lists what exists.
    pub(super) async fn failure(&self, entry: &ToolEntry, error: CallError) -> CallToolResult {
        let error = match self.explain(entry, error) {
            CallError::Refused(refused) if candidates::are_useful(&refused) => {
                let list =
                    self.read(&ListSessions::default()).await.map(|list| list.sessions).unwrap_or_default();
                CallError::from(candidates::add(*refused, &list))
            }
            other => other,
        };
        results::failure(entry, &error)
    }

    /// Replaces the error that no daemon runs by the verb's own refusal, if it has one.
    fn explain(&self, entry: &ToolEntry, error: CallError) -> CallError {
        let CallError::NoDaemon(_) = error else { return error };
        let claimed = self.link().ok().and_then(|link| link.endpoint.pane).map(|claim| claim.pane);
        let refusal = entry.verb.refusal_without_daemon(claimed.as_deref());
        refusal.map_or(error, |refusal| CallError::from(Refused::from(&refusal)))
    }
}

/// The request that a tool call becomes.
pub(super) fn call(entry: &ToolEntry, args: &Map<String, Value>) -> Result<Call, CallError> {
    Ok(Call {
        verb: entry.verb.name,
        args: to_raw_value(args).map_err(|error| CallError::Malformed(error.to_string()))?,
        repeatable: entry.verb.may_repeat(),
        starting: start_policy(entry.verb.properties.without_daemon),
    })
}

/// How much text a call may return: more if the caller says how many lines it wants.
pub(super) fn text_budget(args: &Map<String, Value>) -> TextBudget {
    if args.contains_key("lines") { TextBudget::MAX } else { TextBudget::DEFAULT }
}

fn start_policy(without_daemon: WithoutDaemon) -> StartPolicy {
    match without_daemon {
        WithoutDaemon::Start => StartPolicy::IfNeeded,
        WithoutDaemon::Fail | WithoutDaemon::NotInside => StartPolicy::Never,
    }
}

/// The error for a connection that was closed before the reply came.
pub(super) fn connection_lost() -> CallError {
    CallError::Lost(std::io::ErrorKind::ConnectionAborted.into())
}
