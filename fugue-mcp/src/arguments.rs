//! Arguments as models send them: other spellings, numbers and booleans as text, and words no tool knows. What a schema
//! does not name is left out here, since the daemon is strict; what is said about it stands in `answers/notes.rs`.

use fugue_protocol::refusal::nearest;
use serde_json::{Map, Number, Value};

/// Other spellings of an argument and the one in the schema. Tools say `pane_id`, as the replies do.
/// Some are the command line's.
const SPELLINGS: [(&str, &str); 6] = [
    ("session_id", "session"),
    ("window_id", "window"),
    ("pane", "pane_id"),
    ("ack", "acknowledge"),
    ("match", "pattern"),
    ("directory", "cwd"),
];

/// Words that agents add to the calls of every tool, for themselves. Names that begin with `_` are such words too.
const FOREIGN: [&str; 1] = ["wait_for_previous"];

/// A word that is longer or shorter than an argument's name by more than this is no slip of the pen.
const SLIP: usize = 3;

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

/// A word that no argument has, and the name that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) word: String,
    pub(crate) meant: Option<String>,
}

/// Words that no argument has. One that is like an argument that is there as well asks for nothing more.
pub(crate) fn strays(schema: &Map<String, Value>, given: &Map<String, Value>) -> Vec<Stray> {
    let nothing = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    let unknown = given.iter().filter(|(word, value)| {
        let known = properties.contains_key(&meant(properties, (*word).clone()));
        !known && !value.is_null() && !is_foreign(word)
    });
    let stray = |(word, _): (&String, &Value)| {
        let near = properties.keys().filter(|known| known.len().abs_diff(word.len()) <= SLIP);
        let meant = nearest(word, near.map(String::as_str));
        let there = meant.as_ref().is_some_and(|meant| given.contains_key(meant));
        (!there).then(|| Stray { word: word.clone(), meant })
    };
    unknown.filter_map(stray).collect()
}

fn is_foreign(word: &str) -> bool {
    word.starts_with('_') || FOREIGN.contains(&word)
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
        Some("string") => choice(schema, text(value)),
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

/// One of the names of an enum, whatever its case and its dashes.
fn choice(schema: &Value, value: Value) -> Value {
    let alike = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let (Some(names), Some(word)) = (schema["enum"].as_array(), value.as_str()) else { return value };
    let meant = names.iter().find(|name| name.as_str().is_some_and(|name| alike(name) == alike(word)));
    meant.cloned().unwrap_or(value)
}

fn object(schema: &Value, value: Value) -> Value {
    let fields = match parsed(value) {
        Value::Object(fields) => fields,
        other => match entries(schema, &other).or_else(|| size(schema, &other)) {
            Some(fields) => fields,
            None => return other,
        },
    };
    // What has no form of its own is left as it is: it is somebody's data.
    if schema.get("properties").is_none() && schema.get("additionalProperties").is_none() {
        return Value::Object(fields);
    }
    let inner =
        |name: &str| schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]).clone();
    Value::Object(
        fields.into_iter().map(|(name, value)| (name.clone(), fitted(&inner(&name), value))).collect(),
    )
}

/// `NAME=VALUE` once or in a list, where names and values are wanted.
fn entries(schema: &Value, value: &Value) -> Option<Map<String, Value>> {
    schema.get("additionalProperties").filter(|of| of["type"] == "string")?;
    let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let entry =
        |text: &Value| text.as_str()?.split_once('=').map(|(name, value)| (name.to_owned(), value.into()));
    texts.iter().map(entry).collect()
}

/// `80x24`, where columns and rows are wanted.
fn size(schema: &Value, value: &Value) -> Option<Map<String, Value>> {
    schema["properties"].get("cols")?;
    let (cols, rows) = value.as_str()?.split_once('x')?;
    Some(Map::from_iter([("cols".to_owned(), cols.into()), ("rows".to_owned(), rows.into())]))
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
            "acknowledge": { "type": "array", "items": { "type": "string" } }, "pattern": { "type": "string" },
            "pane_id": { "type": "string" }, "session": { "type": "string" }, "lines": { "type": "integer" },
            "submit": { "type": "boolean" }, "keys": { "type": "array", "items": { "type": "string" } },
            "env": { "type": "object", "additionalProperties": { "type": "string" } },
            "until": { "type": "string", "enum": ["keep", "keep_failed"] },
            "size": { "type": "object", "properties": { "cols": { "type": "integer" }, "rows": { "type": "integer" } } },
        }});
        let (Value::Object(schema), Value::Object(given)) = (schema, given) else { panic!("objects") };
        assert_eq!(Value::Object(read(&schema, given)), expected);
    }

    #[test]
    fn other_spellings_are_understood_and_foreign_words_left_out() {
        reads(
            json!({ "pane": "p", "session_id": "s", "wait_for_previous": true, "lines": null, "ack": "m", "match": "x" }),
            json!({ "pane_id": "p", "session": "s", "acknowledge": ["m"], "pattern": "x" }),
        );
    }

    #[test]
    fn a_word_of_no_tool_is_told_unless_it_is_an_agents_own_or_said_already() {
        let schema =
            json!({ "properties": { "lines": {}, "pane_id": {}, "timeout_ms": {}, "acknowledge": {} } });
        let given = json!({
            "line": 3, "pane": "p", "timeout": 5, "ack": [], "wait_for_previous": true, "_meta": {}, "agent": 1,
            "nothing": null, "acknowledged": [], "acknowledge": [],
        });
        let strays = strays(schema.as_object().unwrap(), given.as_object().unwrap());
        let told: Vec<_> = strays.iter().map(|stray| (stray.word.as_str(), stray.meant.as_deref())).collect();
        assert_eq!(told, [("line", Some("lines")), ("timeout", Some("timeout_ms")), ("agent", None)]);
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
    fn a_name_among_choices_is_found_and_an_environment_may_be_a_list() {
        reads(json!({ "until": "Keep-Failed" }), json!({ "until": "keep_failed" }));
        reads(json!({ "env": ["A=1", "B=x=y"] }), json!({ "env": { "A": "1", "B": "x=y" } }));
        reads(
            json!({ "env": "A=1", "size": "80x24" }),
            json!({ "env": { "A": "1" }, "size": { "cols": 80, "rows": 24 } }),
        );
        reads(json!({ "size": "large" }), json!({ "size": "large" }));
    }

    #[test]
    fn lists_and_objects_may_come_as_text() {
        reads(
            json!({ "keys": "[\"C-c\", 1]", "env": "{\"A\": 1}" }),
            json!({ "keys": ["C-c", "1"], "env": { "A": "1" } }),
        );
    }
}
