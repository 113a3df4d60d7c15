//! Arguments as models send them: other spellings, numbers and booleans as text, and words no tool knows (some agents
//! add their own). What a schema does not name is left out here, since the daemon is strict.

use serde_json::{Map, Number, Value};

/// Other spellings of an argument and the one in the schema. Tools say `pane_id`, as the replies do.
const SPELLINGS: [(&str, &str); 3] =
    [("session_id", "session"), ("window_id", "window"), ("pane", "pane_id")];

/// The arguments that a schema knows, each as the schema wants it.
pub(crate) fn read(schema: &Map<String, Value>, given: Map<String, Value>) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Map::new() };
    let mut read = Map::new();
    for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        let name = meant(properties, name);
        if let Some(property) = properties.get(&name) {
            read.insert(name, fitted(property, value));
        }
    }
    read
}

fn meant(properties: &Map<String, Value>, name: String) -> String {
    let other = SPELLINGS.iter().find(|(other, _)| *other == name && !properties.contains_key(*other));
    other.map_or(name, |(_, meant)| (*meant).to_owned())
}

/// A value as its schema wants it, where that is clear; else as it came, for the daemon to refuse by name.
fn fitted(schema: &Value, value: Value) -> Value {
    match schema["type"].as_str() {
        Some("integer") => integer(value),
        Some("boolean") => boolean(value),
        Some("string") => text(value),
        Some("array") => list(&schema["items"], value),
        Some("object") => object(schema, value),
        _ => parsed(value),
    }
}

fn integer(value: Value) -> Value {
    let whole = match &value {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        Value::Number(number) if number.is_f64() => number.as_f64(),
        _ => None,
    };
    // Whole numbers up to 2^53 are exact; anything else is the daemon's to refuse.
    let exact = whole.filter(|number| number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0);
    exact.map_or(value, |number| Value::Number(Number::from(number as i64)))
}

fn boolean(value: Value) -> Value {
    let word = match &value {
        Value::String(text) => text.trim().to_ascii_lowercase(),
        Value::Number(number) => number.to_string(),
        _ => return value,
    };
    match word.as_str() {
        "true" | "yes" | "on" | "1" => Value::Bool(true),
        "false" | "no" | "off" | "0" => Value::Bool(false),
        _ => value,
    }
}

fn text(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Bool(yes) => Value::String(yes.to_string()),
        other => other,
    }
}

fn list(items: &Value, value: Value) -> Value {
    let values = match parsed(value) {
        Value::Array(values) => values,
        one => vec![one],
    };
    Value::Array(values.into_iter().map(|value| fitted(items, value)).collect())
}

fn object(schema: &Value, value: Value) -> Value {
    let Value::Object(fields) = parsed(value) else { return Value::Null };
    let inner =
        |name: &str| schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]).clone();
    Value::Object(
        fields.into_iter().map(|(name, value)| (name.clone(), fitted(&inner(&name), value))).collect(),
    )
}

/// Some clients send a list or an object as a text that holds it.
fn parsed(value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    let structured = text.trim_start().starts_with(['[', '{']);
    let read = structured.then(|| serde_json::from_str(text).ok()).flatten();
    read.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reads(given: Value, expected: Value) {
        let schema = json!({ "properties": {
            "pane_id": { "type": "string" }, "session": { "type": "string" }, "lines": { "type": "integer" },
            "submit": { "type": "boolean" }, "keys": { "type": "array", "items": { "type": "string" } },
            "env": { "type": "object", "additionalProperties": { "type": "string" } },
        }});
        let (Value::Object(schema), Value::Object(given)) = (schema, given) else { panic!("objects") };
        assert_eq!(Value::Object(read(&schema, given)), expected);
    }

    #[test]
    fn other_spellings_are_understood_and_foreign_words_left_out() {
        reads(
            json!({ "pane": "p", "session_id": "s", "wait_for_previous": true, "lines": null }),
            json!({ "pane_id": "p", "session": "s" }),
        );
    }

    #[test]
    fn numbers_and_booleans_may_be_text_and_text_may_be_a_number() {
        reads(
            json!({ "lines": "100", "submit": "True", "session": 7, "keys": "Enter" }),
            json!({ "lines": 100, "submit": true, "session": "7", "keys": ["Enter"] }),
        );
        reads(json!({ "lines": 20.0, "submit": 0 }), json!({ "lines": 20, "submit": false }));
    }

    #[test]
    fn what_cannot_be_meant_is_left_for_the_daemon_to_refuse() {
        reads(
            json!({ "lines": "many", "submit": "perhaps" }),
            json!({ "lines": "many", "submit": "perhaps" }),
        );
    }

    #[test]
    fn lists_and_objects_may_come_as_text() {
        reads(
            json!({ "keys": "[\"C-c\", 1]", "env": "{\"A\": 1}" }),
            json!({ "keys": ["C-c", "1"], "env": { "A": "1" } }),
        );
    }
}
