//! Additions to a result: notes about arguments that were not used as given, and the number of unread messages. Clients
//! show a model only results it asked for, so the count is part of each.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

/// Adds notes to a result.
pub(crate) fn with_notes(mut result: CallToolResult, notes: &[String]) -> CallToolResult {
    if notes.is_empty() {
        return result;
    }
    let note = notes.join("\n");
    match fields_of(&mut result) {
        Some(fields) => with_field(fields, "note", note.into()),
        None => {
            result.content.push(ContentBlock::text(note));
            result
        }
    }
}

/// Adds the number of unread messages to a result, if there are any.
pub(crate) fn with_unread(mut result: CallToolResult, unread: usize) -> CallToolResult {
    if unread == 0 {
        return result;
    }
    match fields_of(&mut result) {
        Some(fields) => with_field(fields, "unread", unread.into()),
        None => unread_in_text(result, unread),
    }
}

/// Takes the structured content out of a result, if it has any.
fn fields_of(result: &mut CallToolResult) -> Option<Map<String, Value>> {
    match result.structured_content.take() {
        Some(Value::Object(fields)) => Some(fields),
        other => {
            result.structured_content = other;
            None
        }
    }
}

/// A result with one more field, unless the reply has a field of that name itself.
fn with_field(mut fields: Map<String, Value>, name: &str, value: Value) -> CallToolResult {
    fields.entry(name).or_insert(value);
    super::json_result(Value::Object(fields))
}

/// Appends the count to the header line of a text, or adds a line to an error. An image or a text without a header gets a
/// block after it.
fn unread_in_text(mut result: CallToolResult, unread: usize) -> CallToolResult {
    let count = format!("unread {unread} (fugue_poll_messages)");
    let is_error = result.is_error == Some(true);
    let counted = match result.content.first().and_then(|block| block.as_text()).map(|text| &text.text) {
        Some(text) if is_error => Some(format!("{text}\n{count}")),
        Some(text) => in_header(text, &count),
        None => None,
    };
    match counted {
        Some(text) => result.content[0] = ContentBlock::text(text),
        None => result.content.push(ContentBlock::text(count)),
    }
    result
}

/// A text with the count at the end of its header; `None` if it has no header.
fn in_header(text: &str, count: &str) -> Option<String> {
    let (header, rows) = text.split_once('\n')?;
    header.contains(" · ").then(|| format!("{header} · {count}\n{rows}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(result: &CallToolResult) -> &str {
        &result.content[0].as_text().unwrap().text
    }

    #[test]
    fn the_unread_count_is_a_field_of_structured_content() {
        let result = with_unread(CallToolResult::structured(json!({ "a": 1 })), 2);
        assert_eq!(result.structured_content, Some(json!({ "a": 1, "unread": 2 })));
        assert_eq!(text(&result), r#"{"a":1,"unread":2}"#);
        let own = with_unread(CallToolResult::structured(json!({ "unread": 7 })), 2);
        assert_eq!(own.structured_content, Some(json!({ "unread": 7 })));
        let none = with_unread(CallToolResult::structured(json!({ "a": 1 })), 0);
        assert_eq!(none.structured_content, Some(json!({ "a": 1 })));
    }

    #[test]
    fn the_unread_count_is_in_the_header_of_a_text_and_below_an_error() {
        let output = CallToolResult::success(vec![ContentBlock::text("pane x · running\nrow")]);
        assert_eq!(text(&with_unread(output, 2)), "pane x · running · unread 2 (fugue_poll_messages)\nrow");
        let refused = CallToolResult::error(vec![ContentBlock::text("no\nhint: yes")]);
        assert_eq!(text(&with_unread(refused, 1)), "no\nhint: yes\nunread 1 (fugue_poll_messages)");
    }

    #[test]
    fn the_unread_count_is_a_block_after_an_image_and_after_text_without_a_header() {
        let image = CallToolResult::success(vec![ContentBlock::image("AAAA", "image/png")]);
        let list = CallToolResult::success(vec![ContentBlock::text("fugue_zoom_pane: Zoom a pane\n")]);
        for result in [image, list] {
            let counted = with_unread(result.clone(), 2);
            assert_eq!(counted.content[0], result.content[0]);
            let count = &counted.content[1].as_text().unwrap().text;
            assert_eq!((count.as_str(), counted.content.len()), ("unread 2 (fugue_poll_messages)", 2));
        }
    }

    #[test]
    fn a_note_is_a_field_of_structured_content_and_a_block_after_text() {
        let notes = ["one".to_owned(), "two".to_owned()];
        let structured = with_notes(CallToolResult::structured(json!({ "a": 1 })), &notes);
        assert_eq!(structured.structured_content, Some(json!({ "a": 1, "note": "one\ntwo" })));
        let output = with_notes(CallToolResult::success(vec![ContentBlock::text("x")]), &notes);
        assert_eq!(output.content[1].as_text().unwrap().text, "one\ntwo");
    }
}
