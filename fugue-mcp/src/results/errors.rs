//! Failures as results with `isError`, because a model does not see protocol errors. Hints are worded for tool
//! callers (`hints.rs`).

use fugue_client::CallError;
use fugue_protocol::Refusal;
use fugue_protocol::escape::{escape_lines, quoted};
use fugue_protocol::refusal::{Refused, nearest};
use fugue_protocol::verbs::{Nature, WithoutDaemon};
use rmcp::model::{CallToolResult, ErrorData};
use serde_json::{Value, json};

use super::error;
use crate::arguments::checks::Rejection;
use crate::hints::ToolWords;
use crate::tools::{self, ToolEntry};

/// What the names of all tools begin with.
const PREFIX: &str = "fugue_";

/// The result of a call that failed.
pub(crate) fn failure(entry: &ToolEntry, error: &CallError) -> CallToolResult {
    let asks_identity = entry.verb.properties.without_daemon == WithoutDaemon::NotInside;
    let identity = asks_identity.then(|| identity_error(error)).flatten();
    super::error(identity.unwrap_or_else(|| sentence(entry, error)))
}

/// The result of a call that did not pass the checks.
pub(crate) fn rejected(entry: &ToolEntry, rejection: Rejection) -> CallToolResult {
    match rejection {
        Rejection::Text(text) => error(text),
        Rejection::Refusal(refusal) => failure(entry, &CallError::from(Refused::from(&refusal))),
    }
}

/// The result of a call that the daemon accepted but did not answer in time.
pub(crate) fn no_answer(entry: &ToolEntry, seconds: u64) -> CallToolResult {
    let unknown =
        if entry.verb.nature == Nature::Reads { "" } else { "; the call may or may not have taken effect" };
    error(format!(
        "The daemon did not respond to {} within {seconds} s{unknown}\n\
         hint: fugue_server_status shows whether the daemon is responding",
        entry.tool.name
    ))
}

/// The error of a call to a tool that does not exist.
pub(crate) fn unknown_tool(name: &str) -> ErrorData {
    // What all names begin with makes none of them similar.
    let own = |name: &'static str| name.strip_prefix(PREFIX).unwrap_or(name);
    let names = tools::all().iter().map(|entry| own(&entry.tool.name));
    let hint = match nearest(name.strip_prefix(PREFIX).unwrap_or(name), names) {
        Some(nearest) => format!("did you mean {PREFIX}{nearest}?"),
        None => format!("{} lists the other tools", tools::HELP),
    };
    ErrorData::invalid_params(format!("Unknown tool: {}\nhint: {hint}", quoted(name)), None)
}

/// The error of a request for a resource that failed.
pub(crate) fn resource_error(error: &CallError) -> ErrorData {
    let hint = error.hint_in(&ToolWords).map(|hint| format!("\nhint: {hint}"));
    let text = error.message() + &hint.unwrap_or_default();
    ErrorData::resource_not_found(escape_lines(&text).into_owned(), None)
}

/// The two errors of a request for the caller's identity, which have a documented JSON form.
fn identity_error(error: &CallError) -> Option<String> {
    match error {
        CallError::Refused(refused) if refused.code == "not_inside_fugue" => {
            Some(identity_json("Not running inside fugue", "detail", &refused.detail["detail"]))
        }
        CallError::Refused(refused) if refused.code == "caller_gone" => {
            Some(identity_json("Pane not found", "pane_id", &refused.detail["pane_id"]))
        }
        _ => None,
    }
}

fn identity_json(error: &str, name: &str, value: &Value) -> String {
    json!({ "error": error, (name): value }).to_string()
}

/// The next step when the daemon was upgraded to another protocol: only the agent's program can start this server again.
const RESTART: &str = "ask the user to restart this MCP server (in Claude Code: `/mcp`, choose fugue, then Reconnect); \
                       sessions, programs and messages are kept";

fn sentence(entry: &ToolEntry, error: &CallError) -> String {
    let tool = &entry.tool.name;
    let (message, hint) = match error {
        CallError::Refused(refused) if refused.code == "version_mismatch" => {
            (refused.message.clone(), Some(RESTART.into()))
        }
        CallError::Refused(refused) => (message_for_tools(refused), error.hint_in(&ToolWords)),
        CallError::Lost(_) if entry.verb.nature == Nature::Reads => {
            (error.message(), Some(format!("call {tool} again")))
        }
        CallError::Lost(_) => (of_unknown_fate(tool, error), Some(CHECK_FIRST.into())),
        CallError::Unanswered(why) => {
            (of_unknown_fate(tool, why), Some(why.hint_in(&ToolWords).unwrap_or_else(|| CHECK_FIRST.into())))
        }
        other => (other.message(), other.hint_in(&ToolWords)),
    };
    hint.map_or_else(|| message.clone(), |hint| format!("{message}\nhint: {hint}"))
}

/// The next step after a call that may have taken effect.
const CHECK_FIRST: &str = "check with fugue_list_sessions or fugue_get_output before calling it again";

/// The message for a call that was sent and not answered, for this reason.
fn of_unknown_fate(tool: &str, why: &CallError) -> String {
    let message = why.message();
    let (sentence, rest) = message.split_at(message.find('\n').unwrap_or(message.len()));
    format!("{sentence}. {tool} may or may not have taken effect; it was not retried{rest}")
}

/// The message with the names that tool callers use: tool names for verbs, and `pane_id` for `pane`.
fn message_for_tools(refused: &Refused) -> String {
    let detail = |name: &str| refused.detail.get(name).and_then(Value::as_str);
    match (refused.code.as_str(), detail("what"), detail("verb"), detail("why")) {
        ("invalid_argument", Some(what), _, Some(why)) => format!("{}: {why}", tools::argument_name(what)),
        ("bad_arguments", _, Some(verb), Some(why)) => {
            Refusal::BadArguments { verb: tools::name_of(verb), why: why.to_owned() }.to_string()
        }
        _ => refused.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::PaneId;
    use fugue_protocol::refusal::ArgumentProblem;

    use super::*;

    fn shown(tool: &str, refusal: &Refusal) -> String {
        let result = failure(tools::find(tool).unwrap(), &CallError::from(Refused::from(refusal)));
        assert_eq!((result.is_error, result.structured_content), (Some(true), None));
        result.content[0].as_text().unwrap().text.clone()
    }

    #[test]
    fn a_daemon_of_another_protocol_is_reached_by_restarting_the_server() {
        let (version, client, executable) = ("0.2.0".into(), "0.1.0".into(), "/usr/bin/fugue".into());
        let refusal = Refusal::VersionMismatch { ours: 2, theirs: 1, version, client, executable };
        let shown = shown("fugue_list_sessions", &refusal);
        assert!(
            shown.contains("speaks version 2") && shown.contains("hint: ask the user to restart"),
            "{shown}"
        );
        assert!(shown.contains("`/mcp`"), "{shown}");
    }

    #[test]
    fn a_call_that_a_stopped_daemon_may_carry_out_later_is_not_reported_as_failed() {
        let why = CallError::Local("Cannot reach box: reset\nhint: `ssh box true` shows why".into());
        let entry = tools::find("fugue_send_input").expect("a tool");
        let result = failure(entry, &CallError::Unanswered(Box::new(why)));
        assert_eq!(
            result.content[0].as_text().expect("text").text,
            "Cannot reach box: reset. fugue_send_input may or may not have taken effect; it was not retried\n\
             hint: `ssh box true` shows why\n\
             hint: check with fugue_list_sessions or fugue_get_output before calling it again"
        );
    }

    #[test]
    fn a_refusal_is_a_sentence_and_a_hint_that_names_tools() {
        let refusal = Refusal::SessionNotFound { session: "wrk".into(), nearest: None };
        let text = "Session not found: wrk\nhint: `fugue_list_sessions` lists sessions";
        assert_eq!(shown("fugue_create_pane", &refusal), text);
        let refusal = Refusal::PaneRunning { pane: PaneId::from_bytes([0; 16]) };
        assert!(
            shown("fugue_respawn_pane", &refusal)
                .ends_with("hint: `fugue_respawn_pane` with `kill: true` kills it first")
        );
    }

    #[test]
    fn a_refusal_of_arguments_names_the_tool_and_its_argument() {
        let refusal = Refusal::BadArguments { verb: "swap-panes".into(), why: "`with` is missing".into() };
        let text = shown("fugue_swap_panes", &refusal);
        assert!(text.starts_with("Invalid arguments for `fugue_swap_panes`: `with` is missing\n"), "{text}");
        let refusal = Refusal::argument("pane", ArgumentProblem::EmptyName);
        let text = shown("fugue_get_output", &refusal);
        assert!(text.starts_with("pane_id: must not be empty\n"), "{text}");
    }

    #[test]
    fn whoami_reports_its_two_errors_as_documented() {
        let outside = Refusal::NotInsideFugue { detail: "FUGUE_PANE_ID environment variable not set".into() };
        assert_eq!(
            shown("fugue_whoami", &outside),
            r#"{"error":"Not running inside fugue","detail":"FUGUE_PANE_ID environment variable not set"}"#
        );
        let gone = Refusal::CallerGone { pane_id: PaneId::from_bytes([7; 16]) };
        assert_eq!(
            shown("fugue_whoami", &gone),
            r#"{"error":"Pane not found","pane_id":"07070707-0707-0707-0707-070707070707"}"#
        );
    }
}
