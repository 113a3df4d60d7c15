//! Reading arguments as models send them: alternative spellings, numbers and booleans as strings, and names that no tool
//! has. Unknown arguments are dropped here, because the daemon rejects them; `checks.rs` reports them to the caller.
//! Then the server adds its own: the agent's directory, defaults that suit a model, and a key that makes the call safe to
//! repeat.

pub(crate) mod checks;
mod strict_mode;

pub(crate) use strict_mode::without_blanks;

use std::collections::BTreeMap;
use std::path::PathBuf;

use fugue_client::random_key;
use fugue_protocol::refusal::nearest;
use serde_json::{Map, Number, Value};

use crate::tools::ToolEntry;

/// Alternative spellings of an argument, with the name in the schema. Some are the command line's. Tools use `pane_id`, as
/// replies do.
const SPELLINGS: [(&str, &str); 8] = [
    ("session_id", "session"),
    ("window_id", "window"),
    ("pane", "pane_id"),
    ("ack", "acknowledge"),
    ("match", "pattern"),
    ("directory", "cwd"),
    ("cmd", "command"),
    ("text", "input"),
];

/// Names that agents add to every tool call for their own use. Names that begin with `_` count too.
const CLIENT_OWN: [&str; 1] = ["wait_for_previous"];

/// A name whose length differs from an argument's by more than this is not a typo of it.
const MAX_TYPO: usize = 3;

/// Returns the arguments that the schema knows, each converted to the type that the schema gives it.
pub(crate) fn read(schema: &Map<String, Value>, given: Map<String, Value>) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Map::new() };
    let mut read = Map::new();
    for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        let name = canonical(properties, name);
        if let Some(property) = properties.get(&name) {
            read.insert(name, converted(property, value));
        }
    }
    read
}

/// An argument that the tool does not have, and the one that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnknownArgument {
    pub(crate) name: String,
    pub(crate) nearest: Option<String>,
}

/// Returns the arguments that the schema does not know. A misspelled argument that is also given correctly is not one.
pub(crate) fn unknown(schema: &Map<String, Value>, given: &Map<String, Value>) -> Vec<UnknownArgument> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let unknown = given.iter().filter(|(name, value)| {
        let known = properties.contains_key(&canonical(properties, (*name).clone()));
        !known && !value.is_null() && !is_clients_own(name)
    });
    let suggest = |(name, _): (&String, &Value)| {
        let similar = properties.keys().filter(|known| known.len().abs_diff(name.len()) <= MAX_TYPO);
        let nearest = nearest(name, similar.map(String::as_str));
        let given_too = nearest.as_ref().is_some_and(|nearest| given.contains_key(nearest));
        (!given_too).then(|| UnknownArgument { name: name.clone(), nearest })
    };
    unknown.filter_map(suggest).collect()
}

/// Two spellings of one argument that were given different values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) names: [String; 2],
    /// The name in the schema.
    pub(crate) canonical: String,
}

/// Returns the first argument that was given twice, with different values: which one is meant, nobody knows.
pub(crate) fn contradiction(
    schema: &Map<String, Value>,
    given: &Map<String, Value>,
) -> Option<Contradiction> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    let mut read = BTreeMap::<String, (&String, Value)>::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let canonical = canonical(properties, name.clone());
        let Some(property) = properties.get(&canonical) else { continue };
        let value = converted(property, value.clone());
        match read.get(&canonical) {
            Some((first, same)) if *same != value => {
                return Some(Contradiction { names: [(*first).clone(), name.clone()], canonical });
            }
            Some(_) => {}
            None => drop(read.insert(canonical, (name, value))),
        }
    }
    None
}

fn is_clients_own(name: &str) -> bool {
    name.starts_with('_') || CLIENT_OWN.contains(&name)
}

/// The name in the schema for an alternative spelling.
fn canonical(properties: &Map<String, Value>, name: String) -> String {
    let spelling = SPELLINGS.iter().find(|(other, _)| *other == name && !properties.contains_key(*other));
    spelling.map_or(name, |(_, canonical)| (*canonical).to_owned())
}

/// Converts a value to the type of its schema where the meaning is clear; otherwise returns it unchanged, for the daemon to
/// refuse.
fn converted(schema: &Value, value: Value) -> Value {
    match schema["type"].as_str() {
        Some("integer") => integer(value),
        Some("boolean") => boolean(value),
        Some("string") => choice(schema, string(value)),
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
    // Whole numbers up to 2^53 are exact; anything else is for the daemon to refuse.
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

fn string(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Bool(flag) => Value::String(flag.to_string()),
        other => other,
    }
}

fn list(items: &Value, value: Value) -> Value {
    let values = match parsed(value) {
        Value::Array(values) => values,
        one => vec![one],
    };
    Value::Array(values.into_iter().map(|value| converted(items, value)).collect())
}

/// Finds the enum value that a string names, ignoring case and `-` versus `_`.
fn choice(schema: &Value, value: Value) -> Value {
    let folded = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let (Some(names), Some(word)) = (schema["enum"].as_array(), value.as_str()) else { return value };
    let found = names.iter().find(|name| name.as_str().is_some_and(|name| folded(name) == folded(word)));
    found.cloned().unwrap_or(value)
}

fn object(schema: &Value, value: Value) -> Value {
    let fields = match parsed(value) {
        Value::Object(fields) => fields,
        other => match entries(schema, &other).or_else(|| size(schema, &other)) {
            Some(fields) => fields,
            None => return other,
        },
    };
    // An object without a schema is the caller's own data.
    if schema.get("properties").is_none() && schema.get("additionalProperties").is_none() {
        return Value::Object(fields);
    }
    let inner =
        |name: &str| schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]).clone();
    Value::Object(
        fields.into_iter().map(|(name, value)| (name.clone(), converted(&inner(&name), value))).collect(),
    )
}

/// Reads `NAME=VALUE`, alone or in a list, as an object of strings.
fn entries(schema: &Value, value: &Value) -> Option<Map<String, Value>> {
    schema.get("additionalProperties").filter(|of| of["type"] == "string")?;
    let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let entry =
        |text: &Value| text.as_str()?.split_once('=').map(|(name, value)| (name.to_owned(), value.into()));
    texts.iter().map(entry).collect()
}

/// Reads `80x24` as columns and rows.
fn size(schema: &Value, value: &Value) -> Option<Map<String, Value>> {
    schema["properties"].get("cols")?;
    let (cols, rows) = value.as_str()?.split_once('x')?;
    Some(Map::from_iter([("cols".to_owned(), cols.into()), ("rows".to_owned(), rows.into())]))
}

/// Parses an array or object that a client sent as a string of JSON.
fn parsed(value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    let structured = text.trim_start().starts_with(['[', '{']);
    let read = structured.then(|| serde_json::from_str(text).ok()).flatten();
    read.unwrap_or(value)
}

/// The arguments with those that the server adds.
pub(crate) fn with_defaults(entry: &ToolEntry, mut args: Map<String, Value>) -> Map<String, Value> {
    if let Ok(here) = std::env::current_dir() {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        entry.verb.resolve_paths(&mut args, &here, home.as_deref());
    }
    for (name, value) in entry.defaults() {
        args.entry(name).or_insert(value);
    }
    entry.verb.add_key(&mut args, || random_key("mcp"));
    args
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
    fn alternative_spellings_are_understood_and_the_clients_own_names_dropped() {
        reads(
            json!({ "pane": "p", "session_id": "s", "wait_for_previous": true, "lines": null, "ack": "m", "match": "x" }),
            json!({ "pane_id": "p", "session": "s", "acknowledge": ["m"], "pattern": "x" }),
        );
    }

    #[test]
    fn an_unknown_argument_is_reported_unless_it_is_the_clients_own_or_also_given_correctly() {
        let schema =
            json!({ "properties": { "lines": {}, "pane_id": {}, "timeout_ms": {}, "acknowledge": {} } });
        let given = json!({
            "line": 3, "pane": "p", "timeout": 5, "ack": [], "wait_for_previous": true, "_meta": {}, "agent": 1,
            "nothing": null, "acknowledged": [], "acknowledge": [],
        });
        let unknown = unknown(schema.as_object().unwrap(), given.as_object().unwrap());
        let found: Vec<_> =
            unknown.iter().map(|unknown| (unknown.name.as_str(), unknown.nearest.as_deref())).collect();
        assert_eq!(found, [("line", Some("lines")), ("timeout", Some("timeout_ms")), ("agent", None)]);
    }

    #[test]
    fn two_spellings_of_an_argument_must_agree() {
        let schema = json!({ "properties": {
            "pane_id": { "type": "string" }, "acknowledge": { "type": "array", "items": { "type": "string" } },
        }});
        let found = |given: Value| {
            let found =
                contradiction(schema.as_object().expect("an object"), given.as_object().expect("an object"));
            found.map(|found| (found.names.join(" "), found.canonical))
        };
        let differing = found(json!({ "pane": "a", "pane_id": "b" }));
        assert_eq!(differing, Some(("pane pane_id".into(), "pane_id".into())));
        assert_eq!(found(json!({ "pane": 7, "pane_id": "7" })), None, "the same value");
        assert_eq!(found(json!({ "pane": "a", "pane_id": null })), None, "one is not given");
        assert_eq!(found(json!({ "ack": "m", "acknowledge": ["m"], "other": 1, "others": 2 })), None);
    }

    #[test]
    fn numbers_and_booleans_may_be_strings_and_strings_may_be_numbers() {
        reads(
            json!({ "lines": "100", "submit": "True", "session": 7, "keys": "Enter" }),
            json!({ "lines": 100, "submit": true, "session": "7", "keys": ["Enter"] }),
        );
        reads(json!({ "lines": 20.0, "submit": 0 }), json!({ "lines": 20, "submit": false }));
    }

    #[test]
    fn a_value_that_cannot_be_converted_is_left_for_the_daemon_to_refuse() {
        reads(
            json!({ "lines": "many", "submit": "perhaps" }),
            json!({ "lines": "many", "submit": "perhaps" }),
        );
    }

    #[test]
    fn enum_values_ignore_case_and_an_environment_may_be_a_list() {
        reads(json!({ "until": "Keep-Failed" }), json!({ "until": "keep_failed" }));
        reads(json!({ "env": ["A=1", "B=x=y"] }), json!({ "env": { "A": "1", "B": "x=y" } }));
        reads(
            json!({ "env": "A=1", "size": "80x24" }),
            json!({ "env": { "A": "1" }, "size": { "cols": 80, "rows": 24 } }),
        );
        reads(json!({ "size": "large" }), json!({ "size": "large" }));
    }

    #[test]
    fn arrays_and_objects_may_be_strings_of_json() {
        reads(
            json!({ "keys": "[\"C-c\", 1]", "env": "{\"A\": 1}" }),
            json!({ "keys": ["C-c", "1"], "env": { "A": "1" } }),
        );
    }
}
