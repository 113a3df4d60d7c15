//! Refusals as results with `isError`: a protocol error would not reach the model. Hints name tools, not commands.

use fugue_client::CallError;
use fugue_protocol::escape::quoted;
use fugue_protocol::refusal::{Refused, nearest};
use fugue_protocol::verbs::{NAMES, Nature};
use rmcp::model::CallToolResult;
use serde_json::Value;

use super::error;
use crate::tools::{self, Entry};

/// Words of the command line in hints, and what they are for a tool.
const WORDS: [(&str, &str); 7] = [
    ("`fugue wait --until command_done`", "`fugue_wait` with `until: \"command_done\"`"),
    ("`--kill`", "`kill: true`"),
    ("`--key C-c`", "`keys: [\"C-c\"]`"),
    ("fugue new -d -s NAME", "fugue_create_session"),
    ("fugue --help", "tools/list"),
    ("fugue attach", "fugue_list_panes with session"),
    (" --help` shows its arguments", "` says in its input schema what it takes"),
];

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
        CallError::Refused(refused) => told(refused),
        CallError::Lost(why) if entry.nature == Nature::Reads => {
            format!("the daemon went away before it answered: {why}\nhint: call {} again", entry.tool.name)
        }
        CallError::Lost(why) => format!(
            "the daemon went away before it answered: {why}. Whether {} was done is not known; it was not tried again\n\
             hint: look with fugue_list_sessions or fugue_get_output before you call it again",
            entry.tool.name
        ),
        other => for_tools(&other.to_string()),
    }
}

fn told(refused: &Refused) -> String {
    let hint = refused.hint.as_ref().map(|hint| format!("\nhint: {}", for_tools(hint)));
    format!("{}{}", said_to_tools(refused), hint.unwrap_or_default())
}

/// The sentence with the names that tools have: theirs, and `pane_id`, as the replies say.
fn said_to_tools(refused: &Refused) -> String {
    if let Some(why) = refused.message.strip_prefix("pane: ") {
        return format!("pane_id: {why}");
    }
    match refused.detail.get("verb").and_then(Value::as_str) {
        Some(verb) => {
            refused.message.replacen(&format!("`{verb}`"), &format!("`{}`", tools::name_of(verb)), 1)
        }
        None => refused.message.clone(),
    }
}

/// A hint for people on a command line, as a hint for whoever calls tools.
fn for_tools(hint: &str) -> String {
    // What is for the user to do is done on the command line.
    if hint.starts_with("ask the user") {
        return hint.to_owned();
    }
    let hint = WORDS.iter().fold(hint.to_owned(), |hint, (word, tool)| hint.replace(word, tool));
    // The longest first: `get-output` must not be taken for a verb `get`.
    let mut verbs = NAMES.to_vec();
    verbs.sort_by_key(|verb| std::cmp::Reverse(verb.len()));
    verbs.iter().fold(hint, |hint, verb| hint.replace(&format!("fugue {verb}"), &tools::name_of(verb)))
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
        let text = "Session not found: wrk\nhint: `fugue_list_sessions` shows what there is";
        assert_eq!(said("fugue_create_pane", &refusal), text);
        let refusal = Refusal::PaneRunning { pane: PaneId::from_bytes([0; 16]) };
        assert!(said("fugue_respawn_pane", &refusal).ends_with("hint: `kill: true` ends it first"));
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

    #[test]
    fn no_hint_sends_a_model_to_the_command_line() {
        for (hint, tool) in [
            ("`fugue respawn-pane` starts it again", "`fugue_respawn_pane` starts it again"),
            (
                "`fugue get-output --help` shows its arguments",
                "`fugue_get_output` says in its input schema what it takes",
            ),
            (
                "`fugue wait --until command_done` waits for it",
                "`fugue_wait` with `until: \"command_done\"` waits for it",
            ),
            ("ask the user: `fugue set-tags -s x`", "ask the user: `fugue set-tags -s x`"),
            ("`fugue new -d -s NAME` makes one", "`fugue_create_session` makes one"),
        ] {
            assert_eq!(for_tools(hint), tool);
        }
    }
}
