//! Refusals as results with `isError`: a protocol error would not reach the model. Hints are worded for tools (`hints.rs`).

use fugue_client::CallError;
use fugue_protocol::escape::quoted;
use fugue_protocol::refusal::{Refused, nearest};
use fugue_protocol::verbs::Nature;
use rmcp::model::CallToolResult;
use serde_json::Value;

use super::error;
use crate::hints::ToolWords;
use crate::tools::{self, Entry};

/// Why a call did not come to a reply.
pub(crate) fn refused(entry: &Entry, trouble: &CallError) -> CallToolResult {
    let identity = (entry.verb == "whoami").then(|| nobody(trouble)).flatten();
    error(identity.unwrap_or_else(|| sentence(entry, trouble)))
}

/// The daemon took the request and says nothing.
pub(crate) fn silent(entry: &Entry, seconds: u64) -> CallToolResult {
    let done = if entry.nature == Nature::Reads { "" } else { ", and whether it was done is not known" };
    error(format!(
        "the daemon has not answered {} for {seconds} s{done}\nhint: fugue_server_status tells whether it lives",
        entry.tool.name
    ))
}

/// What ends something must say what.
pub(crate) fn missing_target(entry: &Entry) -> CallToolResult {
    error(format!(
        "{} needs to be told what to end\nhint: name it; fugue_list_sessions shows what there is",
        entry.tool.name
    ))
}

/// There is no such tool.
pub(crate) fn unknown_tool(name: &str) -> CallToolResult {
    let names = || tools::all().iter().map(|entry| &*entry.tool.name);
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
    };
    error(format!("there is no tool `{}`\nhint: {hint}", quoted(name)))
}

/// The two errors of whoami have a form of their own.
fn nobody(trouble: &CallError) -> Option<String> {
    match trouble {
        CallError::Refused(refused) if refused.code == "not_inside_fugue" => {
            Some(form("Not running inside fugue", "detail", &refused.detail["detail"]))
        }
        CallError::Refused(refused) if refused.code == "caller_gone" => {
            Some(form("Pane not found", "pane_id", &refused.detail["pane_id"]))
        }
        _ => None,
    }
}

fn form(error: &str, name: &str, value: &Value) -> String {
    format!("{{\"error\":{},\"{name}\":{value}}}", Value::from(error))
}

fn sentence(entry: &Entry, trouble: &CallError) -> String {
    match trouble {
        CallError::Refused(_) => told(trouble),
        CallError::Lost(why) if entry.nature == Nature::Reads => {
            format!("the daemon went away before it answered: {why}\nhint: call {} again", entry.tool.name)
        }
        CallError::Lost(why) => format!(
            "the daemon went away before it answered: {why}. Whether {} was done is not known; it was not tried again\n\
             hint: look with fugue_list_sessions or fugue_get_output before you call it again",
            entry.tool.name
        ),
        other => told(other),
    }
}

fn told(trouble: &CallError) -> String {
    let hint = trouble.hint_in(&ToolWords).map(|hint| format!("\nhint: {hint}"));
    let message = match trouble {
        CallError::Refused(refused) => message_for_tools(refused),
        other => other.message(),
    };
    format!("{message}{}", hint.unwrap_or_default())
}

/// The message with the names of tools and of their arguments in place of the daemon's.
fn message_for_tools(refused: &Refused) -> String {
    let detail = |name: &str| refused.detail.get(name).and_then(Value::as_str);
    if let ("invalid_argument", Some(what), Some(why)) =
        (refused.code.as_str(), detail("what"), detail("why"))
    {
        return format!("{}: {why}", tools::argument_name(what));
    }
    match detail("verb") {
        Some(verb) => refused.message.replacen(verb, &tools::name_of(verb), 1),
        None => refused.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::{PaneId, Refusal};

    use super::*;

    fn said(tool: &str, refusal: &Refusal) -> String {
        let result = refused(tools::find(tool).unwrap(), &CallError::from(Refused::from(refusal)));
        assert_eq!((result.is_error, result.structured_content), (Some(true), None));
        result.content[0].as_text().unwrap().text.clone()
    }

    #[test]
    fn a_refusal_is_a_sentence_and_a_hint_that_names_tools() {
        let refusal = Refusal::SessionNotFound { session: "wrk".into(), nearest: None };
        let text = "Session not found: wrk\nhint: `fugue_list_sessions` lists sessions";
        assert_eq!(said("fugue_create_pane", &refusal), text);
        let refusal = Refusal::PaneRunning { pane: PaneId::from_bytes([0; 16]) };
        assert!(
            said("fugue_respawn_pane", &refusal)
                .ends_with("hint: `fugue_respawn_pane` with `kill: true` kills it first")
        );
    }

    #[test]
    fn whoami_has_the_two_errors_of_the_first_documents() {
        let outside = Refusal::NotInsideFugue { detail: "FUGUE_PANE_ID environment variable not set".into() };
        assert_eq!(
            said("fugue_whoami", &outside),
            r#"{"error":"Not running inside fugue","detail":"FUGUE_PANE_ID environment variable not set"}"#
        );
        let gone = Refusal::CallerGone { pane_id: PaneId::from_bytes([7; 16]) };
        assert_eq!(
            said("fugue_whoami", &gone),
            r#"{"error":"Pane not found","pane_id":"07070707-0707-0707-0707-070707070707"}"#
        );
    }
}
