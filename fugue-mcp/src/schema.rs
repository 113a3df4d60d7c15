//! JSON schemas reduced to what every client understands: no `$schema`, `$ref` or `format`, no unions with null, and
//! choices as a single enum.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Simplifies a schema. Its own description is removed, because the tool has it already.
pub(crate) fn simplified(schema: Schema) -> Map<String, Value> {
    let mut value = schema.to_value();
    simplify(&mut value);
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

/// Makes all fields of sessions, windows and panes optional, because a long list omits details.
pub(crate) fn make_details_optional(value: &mut Value) {
    let tree_fields = ["windows", "panes", "place"];
    match value {
        Value::Object(fields) => {
            if tree_fields
                .iter()
                .any(|name| fields.get("properties").is_some_and(|all| all.get(name).is_some()))
            {
                fields.shift_remove("required");
            }
            fields.values_mut().for_each(make_details_optional);
        }
        Value::Array(values) => values.iter_mut().for_each(make_details_optional),
        _ => {}
    }
}

/// Removes all descriptions: deep inside a reply they cost space and help nobody.
pub(crate) fn remove_descriptions(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("description").is_some_and(Value::is_string) {
                fields.shift_remove("description");
            }
            fields.values_mut().for_each(remove_descriptions);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_descriptions),
        _ => {}
    }
}

fn simplify(value: &mut Value) {
    match value {
        Value::Object(fields) => simplify_object(fields),
        Value::Array(values) => values.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn simplify_object(fields: &mut Map<String, Value>) {
    fields.shift_remove("$schema");
    // Keywords have strings as values; a property of the same name has a schema.
    for keyword in ["format", "title"] {
        if fields.get(keyword).is_some_and(Value::is_string) {
            fields.shift_remove(keyword);
        }
    }
    remove_null(fields);
    fields.values_mut().for_each(simplify);
    if let Some(names) = choices(fields) {
        fields.shift_remove("oneOf");
        fields.insert("type".into(), json!("string"));
        fields.insert("enum".into(), Value::Array(names));
    }
}

fn remove_null(fields: &mut Map<String, Value>) {
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

/// The names in a `oneOf` that lists only string constants.
fn choices(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let name = |kind: &Value| kind.get("const").filter(|name| name.is_string()).cloned();
    let kinds = fields.get("oneOf")?.as_array()?;
    kinds.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_keeps_only_what_every_client_understands() {
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
        assert_eq!(Value::Object(simplified(schema)), expected);
    }
}
