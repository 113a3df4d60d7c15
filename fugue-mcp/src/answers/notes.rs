//! What was not done as asked, beside what came of the call. A word that no tool knows is passed over by what reads, and
//! one call waits only so long; but neither should look as if it had been taken. What changes something is not done at
//! all with such a word: it may have been the one that mattered.

use fugue_protocol::Refusal;
use fugue_protocol::escape::quoted;
use fugue_protocol::limits::MESSAGE_WAIT_MS;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::Nature;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::error;
use crate::arguments::{self, Stray};
use crate::tools::Entry;

/// Arguments that say how long a call waits.
const WAITS: [&str; 2] = ["timeout_ms", "wait_ms"];

/// What is to be said of these arguments.
pub(crate) fn of(entry: &Entry, given: &Map<String, Value>) -> Vec<String> {
    let name = &entry.tool.name;
    let stray = |stray: Stray| {
        format!(
            "{name} has no argument `{}`, it was passed over; {}",
            quoted(&stray.word),
            instead(entry, &stray)
        )
    };
    let schema = &entry.tool.input_schema;
    let long = arguments::read(schema, given.clone()).into_iter().filter(|(word, value)| {
        WAITS.contains(&word.as_str()) && value.as_u64().is_some_and(|wait| wait > MESSAGE_WAIT_MS)
    });
    let long = long.map(|(word, _)| {
        format!("{word} is {MESSAGE_WAIT_MS} at most: one call waits no longer, call again to go on")
    });
    arguments::strays(schema, given).into_iter().map(stray).chain(long).collect()
}

/// Why a call that changes something is not made: a word of it is no argument.
pub(crate) fn stray(entry: &Entry, given: &Map<String, Value>) -> Option<CallToolResult> {
    if entry.nature == Nature::Reads {
        return None;
    }
    let stray = arguments::strays(&entry.tool.input_schema, given).into_iter().next()?;
    let (name, word, hint) = (&entry.tool.name, quoted(&stray.word), instead(entry, &stray));
    Some(error(format!("{name} has no argument `{word}`, and nothing was done\nhint: {hint}")))
}

/// What can be said in place of a word that is no argument.
fn instead(entry: &Entry, stray: &Stray) -> String {
    if let Some(meant) = &stray.meant {
        return format!("did you mean `{meant}`?");
    }
    let properties = entry.tool.input_schema.get("properties").and_then(Value::as_object);
    let known: Vec<_> = properties.into_iter().flat_map(|all| all.keys()).map(String::as_str).collect();
    if known.is_empty() { "it takes none".into() } else { format!("it takes {}", known.join(", ")) }
}

/// Arguments that name something.
const NAMING: [&str; 3] = ["pane_id", "session", "window"];

/// What names nothing: an empty list of panes, which on the way to the daemon is the same as none, or an empty name.
pub(crate) fn nothing_named(args: &Map<String, Value>) -> Option<Refusal> {
    let empty = args.get("panes").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if empty {
        return Some(Refusal::argument("panes", ArgumentProblem::NoPanes));
    }
    let what = NAMING.into_iter().find(|name| args.get(*name).is_some_and(|value| value == ""))?;
    Some(Refusal::argument(what, ArgumentProblem::EmptyName))
}

/// A list or an object where a text is wanted: fields that several verbs share are not named by whoever reads them.
pub(crate) fn no_text(entry: &Entry, args: &Map<String, Value>) -> Option<CallToolResult> {
    let text = |name: &str| entry.tool.input_schema["properties"][name]["type"] == "string";
    let (name, value) =
        args.iter().find(|(name, value)| (value.is_array() || value.is_object()) && text(name))?;
    let kind = if value.is_array() { "a list" } else { "an object" };
    let hint = format!("`{}` says in its input schema what it takes", entry.tool.name);
    Some(error(format!("{name}: a text is wanted, not {kind}\nhint: {hint}")))
}

/// What cannot be taken for a time. It is refused here, since the daemon is told what is left of it.
pub(crate) fn unreadable(args: &Map<String, Value>) -> Option<CallToolResult> {
    let (word, value) =
        WAITS.iter().find_map(|word| Some((word, args.get(*word)?)).filter(|(_, is)| !is.is_u64()))?;
    Some(error(format!(
        "{word}: a whole number, 0 or more is wanted, not {}\nhint: it is in milliseconds",
        quoted(&value.to_string())
    )))
}

/// The result with the notes, in the form that the result has.
pub(crate) fn told(mut result: CallToolResult, notes: &[String]) -> CallToolResult {
    if notes.is_empty() {
        return result;
    }
    let note = notes.join("\n");
    match result.structured_content.take() {
        Some(Value::Object(mut fields)) => {
            fields.entry("note").or_insert(json!(note));
            CallToolResult::structured(Value::Object(fields))
        }
        other => {
            result.structured_content = other;
            result.content.push(ContentBlock::text(note));
            result
        }
    }
}
