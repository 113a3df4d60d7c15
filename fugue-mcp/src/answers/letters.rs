//! Messages for a model: a payload that is too long is shown by its beginning, with the way to the whole of it.

use serde_json::{Value, json};

/// A payload may take so much of an answer.
const PAYLOAD: usize = 14 << 10;

/// And so much in a list of many.
const LISTED: usize = 600;

/// The reply with payloads that fit.
pub(super) fn shortened(verb: &str, reply: &str) -> serde_json::Result<String> {
    let mut reply = serde_json::from_str(reply)?;
    shorten(&mut reply, if verb == "list-messages" { LISTED } else { PAYLOAD });
    Ok(reply.to_string())
}

/// Whether a verb's reply holds messages.
pub(super) fn are_in(verb: &str) -> bool {
    matches!(
        verb,
        "poll-messages" | "list-messages" | "message-status" | "send-orchestration" | "request-help"
    )
}

fn shorten(value: &mut Value, most: usize) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| shorten(value, most)),
        Value::Object(fields) => {
            let id = fields.get("message_id").and_then(Value::as_str).map(str::to_owned);
            if let (Some(id), Some(payload)) = (id, fields.get_mut("payload")) {
                cut(&id, payload, most);
            }
            let others = fields.iter_mut().filter(|(name, _)| *name != "payload");
            others.for_each(|(_, value)| shorten(value, most));
        }
        _ => {}
    }
}

fn cut(id: &str, payload: &mut Value, most: usize) {
    let text = payload.to_string();
    if text.len() > most {
        let begins = &text[..text.floor_char_boundary(most)];
        let whole = format!("in a shell: fugue message-status {id} --json");
        *payload = json!({ "begins": begins, "bytes": text.len(), "whole": whole });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_payload_is_shown_by_its_beginning_and_its_fields_stay_data() {
        let long = "x".repeat(PAYLOAD);
        let reply = json!({ "messages": [
            { "message_id": "m1", "payload": { "text": long } },
            { "message_id": "m2", "payload": { "message_id": "not ours", "payload": "kept" } },
        ]});
        let shown: Value =
            serde_json::from_str(&shortened("poll-messages", &reply.to_string()).unwrap()).unwrap();
        let first = &shown["messages"][0]["payload"];
        assert_eq!(first["whole"], "in a shell: fugue message-status m1 --json");
        assert!(first["begins"].as_str().unwrap().starts_with("{\"text\":\"xxx"));
        assert_eq!(shown["messages"][1], reply["messages"][1]);
    }
}
