//! Tool results. Each client shows its model either the text or the structured content, never both, so both carry the
//! same facts, and a reply that is mostly text is text alone.

pub(crate) mod candidates;
#[cfg(test)]
mod conformance_tests;
mod errors;
mod message_text;
mod page;
mod side_notes;
mod truncate;

pub(crate) use errors::{failure, no_answer, rejected, resource_error, unknown_tool};
pub(crate) use side_notes::{with_notes, with_unread};

use fugue_client::CallError;
use fugue_protocol::escape::{escape_json, escape_lines, escape_output};
use fugue_protocol::render::{ModelContent, TextBudget};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::tools::ToolEntry;

/// The result of a call that the daemon answered.
pub(crate) fn success(entry: &ToolEntry, reply: &RawValue, budget: TextBudget) -> CallToolResult {
    rendered(entry, reply.get(), budget)
        .unwrap_or_else(|error| failure(entry, &CallError::Malformed(error.to_string())))
}

fn rendered(entry: &ToolEntry, reply: &str, budget: TextBudget) -> serde_json::Result<CallToolResult> {
    Ok(match (entry.verb.for_model(reply, budget)?, entry.verb.reply_payload_bytes) {
        (Some(content), _) => content_result(content),
        (None, Some(max)) => structured(truncate::truncated(&message_text::shortened(reply, max)?)?),
        (None, None) => structured(truncate::truncated(reply)?),
    })
}

fn content_result(content: ModelContent) -> CallToolResult {
    match content {
        ModelContent::Text(text) => CallToolResult::success(vec![ContentBlock::text(escape_output(&text))]),
        ModelContent::Png(base64) => CallToolResult::success(vec![ContentBlock::image(base64, "image/png")]),
        ModelContent::Json(value) => structured(truncate::fitted(value)),
        ModelContent::Error(text) => error(text),
    }
}

/// A reply without fields becomes `done: true`, which a model reads more surely than an empty object.
fn structured(reply: Value) -> CallToolResult {
    let empty = reply.as_object().is_some_and(serde_json::Map::is_empty);
    json_result(if empty { json!({ "done": true }) } else { reply })
}

/// A result with the same JSON as structured content and as text. Clients print the text to terminals, so it has no
/// character that a terminal would obey.
fn json_result(reply: Value) -> CallToolResult {
    let text = escape_json(&reply.to_string()).into_owned();
    let mut result = CallToolResult::structured(reply);
    result.content = vec![ContentBlock::text(text)];
    result
}

/// The result of a call that failed.
pub(crate) fn error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(escape_lines(&text.into()))])
}
