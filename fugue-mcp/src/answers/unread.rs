//! How many messages lie unread, in every result: no client shows a model anything that it did not ask for, so what it
//! asked for says it too.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The result with the count, in the form that the result has.
pub(crate) fn told(mut result: CallToolResult, unread: usize) -> CallToolResult {
    if unread == 0 {
        return result;
    }
    match result.structured_content.take() {
        Some(Value::Object(mut fields)) => {
            fields.entry("unread").or_insert(json!(unread));
            CallToolResult::structured(Value::Object(fields))
        }
        other => {
            result.structured_content = other;
            in_text(&mut result, unread);
            result
        }
    }
}

/// At the end of the first line, which says what the rest is; under a refusal, on a line of its own.
fn in_text(result: &mut CallToolResult, unread: usize) {
    let count = format!("unread {unread} (fugue_poll_messages)");
    let Some(text) = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone())
    else {
        return;
    };
    let refused = result.is_error == Some(true);
    let text = match text.split_once('\n') {
        _ if refused => format!("{text}\n{count}"),
        Some((header, rows)) if header.contains(" · ") => format!("{header} · {count}\n{rows}"),
        _ => return,
    };
    result.content[0] = ContentBlock::text(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_stands_in_facts_in_headers_and_under_refusals() {
        let facts = told(CallToolResult::structured(json!({ "a": 1 })), 2);
        assert_eq!(facts.structured_content, Some(json!({ "a": 1, "unread": 2 })));
        assert_eq!(facts.content[0].as_text().unwrap().text, r#"{"a":1,"unread":2}"#);
        let own = told(CallToolResult::structured(json!({ "unread": 7 })), 2);
        assert_eq!(own.structured_content, Some(json!({ "unread": 7 })));
        let text = told(CallToolResult::success(vec![ContentBlock::text("pane x · running\nrow")]), 2);
        assert_eq!(
            text.content[0].as_text().unwrap().text,
            "pane x · running · unread 2 (fugue_poll_messages)\nrow"
        );
        let refused = told(CallToolResult::error(vec![ContentBlock::text("no\nhint: yes")]), 1);
        assert_eq!(
            refused.content[0].as_text().unwrap().text,
            "no\nhint: yes\nunread 1 (fugue_poll_messages)"
        );
        let none = told(CallToolResult::structured(json!({ "a": 1 })), 0);
        assert_eq!(none.structured_content, Some(json!({ "a": 1 })));
    }
}
