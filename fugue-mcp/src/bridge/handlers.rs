//! What becomes of a tool call: its arguments are read, it goes to the daemon in its turn, its answer is rendered.

use std::time::Duration;

use fugue_client::{Call, CallError, StartPolicy};
use fugue_protocol::Refusal;
use fugue_protocol::orchestration::DeliveryMethod;
use fugue_protocol::refusal::{ArgumentProblem, Refused};
use fugue_protocol::verbs::{GetServerStatus, ListSessions, Nature};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RequestContext;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::order::Ticket;
use super::{Bridge, awaiting};
use crate::answers::{self, Room, choices};
use crate::arguments;
use crate::tools::{self, Entry};

/// A daemon that has not answered by then hangs: far more than any verb takes, less than clients wait.
const PATIENCE: Duration = Duration::from_secs(45);

impl Bridge {
    pub(super) async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        ticket: Option<Ticket>,
    ) -> CallToolResult {
        let Some(entry) = tools::find(&request.name) else { return answers::unknown_tool(&request.name) };
        let given = request.arguments.unwrap_or_default();
        if let Some(refused) = answers::notes::stray(entry, &given) {
            return refused;
        }
        let notes = answers::notes::of(entry, &given);
        let args = arguments::read(&entry.tool.input_schema, given);
        answers::notes::told(self.done(entry, args, context, ticket).await, &notes)
    }

    async fn done(
        &self,
        entry: &Entry,
        args: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        ticket: Option<Ticket>,
    ) -> CallToolResult {
        let unreadable = answers::notes::unreadable(&args);
        if let Some(refused) = unreadable.or_else(|| answers::notes::no_text(entry, &args)) {
            return refused;
        }
        if entry.nature == Nature::Ends && !names_a_target(&args) {
            return answers::missing_target(entry);
        }
        if let Some(refusal) = answers::notes::nothing_named(&args) {
            return answers::refused(entry, &CallError::from(Refused::from(&refusal)));
        }
        if self.inbox.is_none() && wants_push(&args) {
            let refusal = Refusal::argument("deliver", ArgumentProblem::PushUnavailable);
            return answers::refused(entry, &CallError::from(Refused::from(&refusal)));
        }
        let args = awaiting::prepared(entry, with_surroundings(entry, args));
        if let Some(wait) = awaiting::wait_of(&args) {
            let answer = self.await_message(entry, args, wait, context, ticket).await;
            // It waited on another connection: what lies unread now is not known on this one.
            let _ = self.read(&GetServerStatus {}).await;
            return answer;
        }
        match entry.verb {
            "wait" => {
                let answer = self.wait(entry, args, context, ticket).await;
                let _ = self.read(&GetServerStatus {}).await;
                answer
            }
            "run" => self.run(entry, args, context, ticket).await,
            _ => self.ask(entry, args, ticket).await,
        }
    }

    async fn ask(&self, entry: &Entry, args: Map<String, Value>, ticket: Option<Ticket>) -> CallToolResult {
        let room = if args.contains_key("lines") { Room::MOST } else { Room::USUAL };
        let told = match (self.reach(), call(entry, &args)) {
            (Ok(reached), Ok(call)) => {
                if let Some(ticket) = &ticket {
                    ticket.turn().await;
                }
                reached.link.ask(call)
            }
            (Err(trouble), _) | (_, Err(trouble)) => return answers::refused(entry, &trouble),
        };
        // It is on its way: the next may go.
        drop(ticket);
        match tokio::time::timeout(PATIENCE, told).await {
            Ok(Ok(Ok(reply))) => answers::result(entry, Ok(reply), room),
            Ok(answer) => self.refused(entry, answer.ok().and_then(Result::err).unwrap_or_else(gone)).await,
            Err(_) => answers::silent(entry, PATIENCE.as_secs()),
        }
    }

    /// A refusal, with the choices there are where something was not found.
    pub(super) async fn refused(&self, entry: &Entry, trouble: CallError) -> CallToolResult {
        let trouble = match self.explained(entry, trouble) {
            CallError::Refused(refused) if choices::are_wanted(&refused) => {
                let list = self.read(&ListSessions {}).await.map(|list| list.sessions).unwrap_or_default();
                CallError::from(choices::offered(*refused, &list))
            }
            other => other,
        };
        answers::result(entry, Err(trouble), Room::USUAL)
    }

    /// Where no daemon is, nobody is in a pane of it.
    fn explained(&self, entry: &Entry, trouble: CallError) -> CallError {
        match trouble {
            CallError::NoDaemon(_) if entry.verb == "whoami" => {
                let claimed = self.reach().ok().and_then(|reached| reached.dial.pane?.parse().ok());
                let outside =
                    Refusal::NotInsideFugue { detail: "FUGUE_PANE_ID environment variable not set".into() };
                let refusal = claimed.map_or(outside, |pane_id| Refusal::CallerGone { pane_id });
                CallError::from(Refused::from(&refusal))
            }
            other => other,
        }
    }
}

/// Whether a subscription asks for what only some agents have.
fn wants_push(args: &Map<String, Value>) -> bool {
    let ways = args.get("deliver").and_then(Value::as_array);
    ways.is_some_and(|ways| ways.iter().any(|way| way == DeliveryMethod::Push.to_string().as_str()))
}

/// A request of this tool's verb.
pub(super) fn call(entry: &Entry, args: &Map<String, Value>) -> Result<Call, CallError> {
    Ok(Call {
        verb: entry.verb,
        args: worded(args)?,
        repeatable: entry.nature == Nature::Reads || awaiting::repeats(entry),
        starting: starting(entry.verb),
    })
}

fn worded(args: &Map<String, Value>) -> Result<Box<RawValue>, CallError> {
    to_raw_value(args).map_err(|why| CallError::Strange(why.to_string()))
}

/// Asking how a daemon is, or who one is in it, starts none.
fn starting(verb: &str) -> StartPolicy {
    match verb {
        "server-status" | "whoami" => StartPolicy::Never,
        _ => StartPolicy::IfNeeded,
    }
}

pub(super) fn gone() -> CallError {
    CallError::Lost(std::io::ErrorKind::ConnectionAborted.into())
}

fn names_a_target(args: &Map<String, Value>) -> bool {
    ["pane_id", "window", "session"].iter().any(|name| args.contains_key(*name))
}

/// A directory is seen from where the agent works, and a new session begins there.
fn with_surroundings(entry: &Entry, mut args: Map<String, Value>) -> Map<String, Value> {
    for (_, name, value) in tools::DEFAULTS.iter().filter(|(verb, ..)| *verb == entry.verb) {
        args.entry(*name).or_insert_with(|| (*value).into());
    }
    let takes_directory = entry.tool.input_schema["properties"].get("cwd").is_some();
    let Some(here) = takes_directory.then(|| std::env::current_dir().ok()).flatten() else { return args };
    let directory = match args.get("cwd") {
        Some(Value::String(cwd)) if !cwd.is_empty() => here.join(cwd),
        None if entry.verb == "create-session" => here,
        // What names no directory is the daemon's to refuse.
        _ => return args,
    };
    if let Ok(directory) = directory.into_os_string().into_string() {
        args.insert("cwd".into(), directory.into());
    }
    args
}
