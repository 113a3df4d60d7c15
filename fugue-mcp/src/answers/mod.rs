//! Replies as models read them. Each client shows its model either the text or the structure, never both: so both say
//! the same, and what is mostly text is text alone.

pub(crate) mod choices;
mod counted;
mod errors;
mod fitted;
mod letters;
pub(crate) mod notes;
mod output;
mod parallel;
mod ran;
pub(crate) mod unread;

pub(crate) use errors::{missing_target, refused, silent, unknown_tool};
pub(crate) use output::{Room, rows};

use fugue_client::CallError;
use fugue_protocol::verbs::Format;
use fugue_protocol::views::{PaneOutput, ParallelRuns, Picture, RunResult};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::tools::{Entry, Shape};

/// A verb's answer as a tool's result.
pub(crate) fn result(entry: &Entry, answer: Result<Box<RawValue>, CallError>, room: Room) -> CallToolResult {
    let strange = |why: serde_json::Error| refused(entry, &CallError::Malformed(why.to_string()));
    match answer {
        Err(trouble) => refused(entry, &trouble),
        Ok(reply) if entry.verb == "screenshot" => {
            serde_json::from_str::<Picture>(reply.get()).map_or_else(strange, |picture| shown(&picture))
        }
        Ok(reply) if entry.verb == "run" => serde_json::from_str::<RunResult>(reply.get())
            .map_or_else(strange, |ran| text(ran::told(&ran, room))),
        Ok(reply) if entry.verb == "run-parallel" => {
            let runs = serde_json::from_str::<ParallelRuns>(reply.get());
            runs.map_or_else(strange, |runs| text(parallel::told(&runs)))
        }
        Ok(reply) if entry.shape == Shape::Text => match serde_json::from_str::<PaneOutput>(reply.get()) {
            Ok(read) => text(rows(&read, room)),
            Err(why) => strange(why),
        },
        Ok(reply) if letters::are_in(entry.verb) => {
            let short = letters::shortened(entry.verb, reply.get());
            short.and_then(|reply| fitted::fitted(&reply)).map_or_else(strange, facts)
        }
        Ok(reply) => fitted::fitted(reply.get()).map_or_else(strange, facts),
    }
}

/// A picture in pixels costs a model by its area, not by its bytes; but no client takes any number of these.
const PIXELS: usize = 1 << 20;

/// Half a picture is none: one that does not fit is not sent.
fn shown(picture: &Picture) -> CallToolResult {
    if picture.format == Format::Png && picture.content.len() <= PIXELS {
        let image = ContentBlock::image(picture.content.clone(), "image/png");
        return CallToolResult::success(vec![image]);
    }
    let (bytes, pane) = (picture.content.len(), picture.pane_id.short());
    if Room::MOST.holds(bytes) {
        return text(picture.content.clone());
    }
    error(format!(
        "the picture has {bytes} bytes, more than a model is shown\n\
         hint: ask for format text, or write it to a file in a shell: fugue screenshot -t {pane} > picture.svg"
    ))
}

fn facts(reply: Value) -> CallToolResult {
    let nothing = reply.as_object().is_some_and(serde_json::Map::is_empty);
    CallToolResult::structured(if nothing { json!({ "done": true }) } else { reply })
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}
