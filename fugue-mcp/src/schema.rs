//! Schemas as every client reads them: no `$schema`, no `$ref`, no `format`, no unions with null, choices as one enum.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// A schema made plain. Its own description goes to whoever shows it.
pub(crate) fn plain(schema: Schema) -> Map<String, Value> {
    let mut value = schema.to_value();
    tidy(&mut value);
    match value {
        Value::Object(mut fields) => {
            fields.shift_remove("description");
            fields.entry("type").or_insert_with(|| json!("object"));
            fields.entry("properties").or_insert_with(|| json!({}));
            fields
        }
        _ => Map::new(),
    }
}

/// Sessions, windows and panes in it may lack details: a long list leaves them out.
pub(crate) fn loosen(value: &mut Value) {
    let of_the_tree = ["windows", "panes", "place"];
    match value {
        Value::Object(fields) => {
            if of_the_tree
                .iter()
                .any(|name| fields.get("properties").is_some_and(|all| all.get(name).is_some()))
            {
                fields.shift_remove("required");
            }
            fields.values_mut().for_each(loosen);
        }
        Value::Array(values) => values.iter_mut().for_each(loosen),
        _ => {}
    }
}

/// Without the words: in the depths of a reply they take room and nobody reads them.
pub(crate) fn wordless(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("description").is_some_and(Value::is_string) {
                fields.shift_remove("description");
            }
            fields.values_mut().for_each(wordless);
        }
        Value::Array(values) => values.iter_mut().for_each(wordless),
        _ => {}
    }
}

fn tidy(value: &mut Value) {
    match value {
        Value::Object(fields) => tidy_object(fields),
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn tidy_object(fields: &mut Map<String, Value>) {
    fields.shift_remove("$schema");
    // Words about a schema are text; properties may have the same names.
    for word in ["format", "title"] {
        if fields.get(word).is_some_and(Value::is_string) {
            fields.shift_remove(word);
        }
    }
    without_null(fields);
    fields.values_mut().for_each(tidy);
    if let Some(names) = choices(fields) {
        fields.shift_remove("oneOf");
        fields.insert("type".into(), json!("string"));
        fields.insert("enum".into(), Value::Array(names));
    }
}

fn without_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(kinds)) = fields.get_mut("anyOf") {
        kinds.retain(|kind| kind["type"] != "null");
        if let [Value::Object(only)] = kinds.as_mut_slice() {
            let only = std::mem::take(only);
            fields.shift_remove("anyOf");
            fields.extend(only);
        }
    }
}

/// The names among which to choose, if that is all a `oneOf` says.
fn choices(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let name = |kind: &Value| kind.get("const").filter(|name| name.is_string()).cloned();
    let kinds = fields.get("oneOf")?.as_array()?;
    kinds.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_left_with_what_every_client_reads() {
        let schema = schemars::json_schema!({
            "$schema": "x", "title": "T", "type": "object",
            "properties": {
                "title": { "type": ["string", "null"], "format": "uuid" },
                "format": { "type": "string" },
                "mode": { "description": "How.", "oneOf": [{ "const": "a", "type": "string" }, { "const": "b" }] },
                "size": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "format": { "type": "string" },
                "mode": { "description": "How.", "type": "string", "enum": ["a", "b"] },
                "size": { "type": "integer" },
            },
        });
        assert_eq!(Value::Object(plain(schema)), expected);
    }
}
