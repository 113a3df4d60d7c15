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

/// The schema of a reply with its outermost fields and their types only. That is what every reply keeps, shortened or
/// not; models are not shown these schemas, and clients only check replies against them.
pub(crate) fn outline(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(|property| *property = types(property));
    }
    schema
}

/// The type of a value, and of the items of a list.
fn types(schema: &Value) -> Value {
    let forms = schema.get("oneOf").and_then(Value::as_array);
    let are_objects = forms.is_some_and(|forms| forms.iter().all(|form| form["type"] == "object"));
    match (schema["type"].as_str(), schema.get("items")) {
        (Some("array"), Some(items)) => json!({ "type": "array", "items": types(items) }),
        (Some(kind), _) => json!({ "type": kind }),
        (None, _) if are_objects => json!({ "type": "object" }),
        (None, _) => json!({}),
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
    fn an_outline_has_the_outermost_fields_and_their_types() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": { "type": "array", "items": { "type": "object", "properties": { "x": {} }, "required": ["x"] } },
                "b": { "type": "string", "enum": ["x"], "description": "Which." },
                "c": { "oneOf": [{ "type": "object" }, { "type": "object" }] },
                "d": { "oneOf": [{ "type": "object" }, { "const": "x" }] },
            },
        });
        let expected = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": { "type": "array", "items": { "type": "object" } },
                "b": { "type": "string" },
                "c": { "type": "object" },
                "d": {},
            },
        });
        let Value::Object(schema) = schema else { panic!("an object") };
        assert_eq!(Value::Object(outline(schema)), expected);
    }

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
