//! What was not done as asked, beside what came of the call. Words that no tool knows are passed over, since some agents
//! add their own, and one call waits only so long; but neither should look as if it had been taken.

use fugue_protocol::limits::MESSAGE_WAIT_MS;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::error;
use crate::arguments;
use crate::tools::Entry;

/// Arguments that say how long a call waits.
const WAITS: [&str; 2] = ["timeout_ms", "wait_ms"];

/// What is to be said of these arguments.
pub(crate) fn of(entry: &Entry, given: &Map<String, Value>) -> Vec<String> {
    let name = &entry.tool.name;
    let stray = |(word, meant): (String, String)| {
        format!("{name} has no argument `{word}`, it was passed over; did you mean `{meant}`?")
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

/// What cannot be taken for a time. It is refused here, since the daemon is told what is left of it.
pub(crate) fn unreadable(args: &Map<String, Value>) -> Option<CallToolResult> {
    let (word, value) =
        WAITS.iter().find_map(|word| Some((word, args.get(*word)?)).filter(|(_, is)| !is.is_u64()))?;
    Some(error(format!(
        "{word}: a whole number, 0 or more is wanted, not {value}\nhint: it is in milliseconds"
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
