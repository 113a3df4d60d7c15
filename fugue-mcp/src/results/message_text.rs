//! Messages in a reply. A payload that is too long is replaced by its beginning, its size, and the command that prints
//! all of it.

use serde_json::{Value, json};

/// Shortens the payloads in a reply that have more than `max` bytes.
pub(super) fn shortened(reply: &str, max: usize) -> serde_json::Result<String> {
    let mut reply = serde_json::from_str(reply)?;
    shorten(&mut reply, max);
    Ok(reply.to_string())
}

fn shorten(value: &mut Value, max: usize) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| shorten(value, max)),
        Value::Object(fields) => {
            let id = fields.get("message_id").and_then(Value::as_str).map(str::to_owned);
            if let (Some(id), Some(payload)) = (id, fields.get_mut("payload")) {
                cut(&id, payload, max);
            }
            let others = fields.iter_mut().filter(|(name, _)| *name != "payload");
            others.for_each(|(_, value)| shorten(value, max));
        }
        _ => {}
    }
}

fn cut(id: &str, payload: &mut Value, max: usize) {
    let text = payload.to_string();
    if text.len() > max {
        let begins = beginning(&text, max);
        let whole = format!("run this in a shell: fugue message-status {id} --json");
        *payload = json!({ "begins": begins, "bytes": text.len(), "whole": whole });
    }
}

/// The beginning of a text that takes at most `max` bytes between the quotes of a JSON string.
fn beginning(text: &str, max: usize) -> &str {
    let mut size = 0;
    let exceeds = |(_, c): &(usize, char)| {
        size += if matches!(c, '"' | '\\') { 2 } else { c.len_utf8() };
        size > max
    };
    &text[..text.char_indices().find(exceeds).map_or(text.len(), |(end, _)| end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_payload_full_of_quotes_is_not_longer_than_the_limit() {
        let long = json!({ "message_id": "m1", "payload": { "text": "\"".repeat(600) } });
        let shown: Value = serde_json::from_str(&shortened(&long.to_string(), 600).unwrap()).unwrap();
        assert_eq!(shown["payload"]["begins"].to_string().len() - 2, 600);
        assert_eq!(beginning("aéb", 3), "aé");
        assert_eq!(beginning("aéb", 2), "a");
    }

    #[test]
    fn a_long_payload_is_replaced_by_its_beginning_and_its_own_fields_are_not_touched() {
        let long = "x".repeat(600);
        let reply = json!({ "messages": [
            { "message_id": "m1", "payload": { "text": long } },
            { "message_id": "m2", "payload": { "message_id": "not ours", "payload": "kept" } },
        ]});
        let shown: Value = serde_json::from_str(&shortened(&reply.to_string(), 600).unwrap()).unwrap();
        let first = &shown["messages"][0]["payload"];
        assert_eq!(first["whole"], "run this in a shell: fugue message-status m1 --json");
        assert!(first["begins"].as_str().unwrap().starts_with("{\"text\":\"xxx"));
        assert_eq!(shown["messages"][1], reply["messages"][1]);
    }
}
