//! Failures as results with `isError`, because a model does not see protocol errors. Hints name tools, not commands.

use fugue_client::CallError;
use fugue_protocol::quoting::quoted;
use fugue_protocol::refusal::{Refused, nearest};
use fugue_protocol::verbs::{NAMES, Nature};
use rmcp::model::CallToolResult;
use serde_json::Value;

use super::error;
use crate::arguments::checks::Rejection;
use crate::tools::{self, ToolEntry};

/// Command-line syntax in hints, and the equivalent for a tool caller.
const EQUIVALENTS: [(&str, &str); 7] = [
    ("`fugue wait --until command_done`", "`fugue_wait` with `until: \"command_done\"`"),
    ("`--kill`", "`kill: true`"),
    ("`--key C-c`", "`keys: [\"C-c\"]`"),
    ("fugue new -d -s NAME", "fugue_create_session"),
    ("fugue --help", "tools/list"),
    ("fugue attach", "fugue_list_panes with session"),
    (" --help` shows its arguments", "` lists its arguments in its input schema"),
];

/// The result of a call that failed.
pub(crate) fn failure(entry: &ToolEntry, error: &CallError) -> CallToolResult {
    let identity = (entry.verb == "whoami").then(|| identity_error(error)).flatten();
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
    let unknown = if entry.nature == Nature::Reads { "" } else { "; it may or may not have taken effect" };
    error(format!(
        "The daemon did not answer {} within {seconds} s{unknown}\n\
         hint: fugue_server_status shows whether the daemon responds",
        entry.tool.name
    ))
}

/// The result of a call to a tool that does not exist.
pub(crate) fn unknown_tool(name: &str) -> CallToolResult {
    let names = || tools::all().iter().map(|entry| &*entry.tool.name);
    let hint = match nearest(name, names()) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("the tools are {}", names().collect::<Vec<_>>().join(", ")),
    };
    error(format!("Tool not found: {}\nhint: {hint}", quoted(name)))
}

/// The two errors of whoami, which have a documented JSON form.
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
    format!("{{\"error\":{},\"{name}\":{value}}}", Value::from(error))
}

fn sentence(entry: &ToolEntry, error: &CallError) -> String {
    let tool = &entry.tool.name;
    match error {
        CallError::Refused(refused) => {
            let hint = refused.hint.as_ref().map(|hint| format!("\nhint: {}", for_tools(hint)));
            format!("{}{}", message_for_tools(refused), hint.unwrap_or_default())
        }
        CallError::Lost(why) if entry.nature == Nature::Reads => {
            format!("Lost the connection to the daemon: {why}\nhint: call {tool} again")
        }
        CallError::Lost(why) => format!(
            "Lost the connection to the daemon: {why}. {tool} may or may not have taken effect; it was not retried\n\
             hint: check with fugue_list_sessions or fugue_get_output before calling it again"
        ),
        other => for_tools(&other.to_string()),
    }
}

/// The message with the names that tool callers use: tool names for verbs, and `pane_id` for `pane`.
fn message_for_tools(refused: &Refused) -> String {
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

/// Rewrites a hint worded for the command line for a tool caller.
fn for_tools(hint: &str) -> String {
    // What the user has to do is done on the command line.
    if hint.starts_with("ask the user") {
        return hint.to_owned();
    }
    let hint = EQUIVALENTS.iter().fold(hint.to_owned(), |hint, (command, tool)| hint.replace(command, tool));
    // Longest first, so that no verb is taken for another that it begins with.
    let mut verbs = NAMES.to_vec();
    verbs.sort_by_key(|verb| std::cmp::Reverse(verb.len()));
    verbs.iter().fold(hint, |hint, verb| hint.replace(&format!("fugue {verb}"), &tools::name_of(verb)))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::{PaneId, Refusal};

    use super::*;

    fn shown(tool: &str, refusal: &Refusal) -> String {
        let result = failure(tools::find(tool).unwrap(), &CallError::from(Refused::from(refusal)));
        assert_eq!((result.is_error, result.structured_content), (Some(true), None));
        result.content[0].as_text().unwrap().text.clone()
    }

    #[test]
    fn a_refusal_is_a_sentence_and_a_hint_that_names_tools() {
        let refusal = Refusal::SessionNotFound { session: "wrk".into(), nearest: None };
        let text = "Session not found: wrk\nhint: `fugue_list_sessions` shows what there is";
        assert_eq!(shown("fugue_create_pane", &refusal), text);
        let refusal = Refusal::PaneRunning { pane: PaneId::from_bytes([0; 16]) };
        assert!(shown("fugue_respawn_pane", &refusal).ends_with("hint: `kill: true` ends it first"));
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

    #[test]
    fn no_hint_names_a_command() {
        for (hint, tool) in [
            ("`fugue respawn-pane` starts it again", "`fugue_respawn_pane` starts it again"),
            (
                "`fugue get-output --help` shows its arguments",
                "`fugue_get_output` lists its arguments in its input schema",
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
