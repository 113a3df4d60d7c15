//! Tool results. Each client shows its model either the text or the structured content, never both, so both carry the
//! same facts, and a reply that is mostly text is text alone.

pub(crate) mod candidates;
mod errors;
mod message_text;
mod pane_output;
mod parallel_output;
mod run_output;
mod session_counts;
mod side_notes;
mod truncate;

pub(crate) use errors::{failure, no_answer, rejected, unknown_tool};
pub(crate) use pane_output::ByteBudget;
pub(crate) use side_notes::{with_notes, with_unread};

use fugue_client::CallError;
use fugue_protocol::verbs::Format;
use fugue_protocol::views::{PaneOutput, ParallelRuns, Picture, RunResult};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::tools::{ReplyForm, ToolEntry};

/// The result of a call that the daemon answered.
pub(crate) fn success(entry: &ToolEntry, reply: &RawValue, budget: ByteBudget) -> CallToolResult {
    rendered(entry, reply.get(), budget)
        .unwrap_or_else(|error| failure(entry, &CallError::Strange(error.to_string())))
}

fn rendered(entry: &ToolEntry, reply: &str, budget: ByteBudget) -> serde_json::Result<CallToolResult> {
    Ok(match entry.verb {
        "screenshot" => picture(&serde_json::from_str::<Picture>(reply)?),
        "run" => text(run_output::render(&serde_json::from_str::<RunResult>(reply)?, budget)),
        "run-parallel" => text(parallel_output::render(&serde_json::from_str::<ParallelRuns>(reply)?)),
        _ if entry.form == ReplyForm::Text => {
            text(pane_output::render(&serde_json::from_str::<PaneOutput>(reply)?, budget))
        }
        verb if message_text::is_in_reply_of(verb) => {
            structured(truncate::truncated(&message_text::shortened(verb, reply)?)?)
        }
        _ => structured(truncate::truncated(reply)?),
    })
}

/// The size limit of an image. It costs a model by its area, not its bytes, but clients reject very large ones.
const MAX_IMAGE: usize = 1 << 20;

/// A picture is shown whole or not at all.
fn picture(picture: &Picture) -> CallToolResult {
    if picture.format == Format::Png && picture.content.len() <= MAX_IMAGE {
        let image = ContentBlock::image(picture.content.clone(), "image/png");
        return CallToolResult::success(vec![image]);
    }
    let (bytes, pane) = (picture.content.len(), picture.pane_id.short());
    if ByteBudget::MAX.allows(bytes) {
        return text(picture.content.clone());
    }
    error(format!(
        "The picture is too large to show: {bytes} bytes\n\
         hint: use format \"text\", or save it to a file in a shell: fugue screenshot -t {pane} > picture.svg"
    ))
}

/// A reply without fields becomes `done`: models take an empty object for a failure.
fn structured(reply: Value) -> CallToolResult {
    let empty = reply.as_object().is_some_and(serde_json::Map::is_empty);
    CallToolResult::structured(if empty { json!({ "done": true }) } else { reply })
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}
