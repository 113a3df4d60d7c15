//! The default rendering for people: names and values, nested by indentation.

use serde_json::Value;

/// The fields of a reply, one per line.
pub(super) fn listing(reply: &Value) -> String {
    nested(reply, 0)
}

fn nested(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| field(&indent, name, value, depth)).collect()
        }
        Value::Array(values) => values.iter().map(|value| format!("{indent}- {}\n", plain(value))).collect(),
        other => format!("{indent}{}\n", plain(other)),
    }
}

fn field(indent: &str, name: &str, value: &Value, depth: usize) -> String {
    match value {
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Array(values) if values.is_empty() => String::new(),
        Value::Object(_) => format!("{indent}{name}:\n{}", nested(value, depth + 1)),
        Value::Array(values) if values.iter().all(|value| !value.is_object()) => {
            let values: Vec<_> = values.iter().map(plain).collect();
            format!("{indent}{name}: {}\n", values.join(", "))
        }
        Value::Array(values) => {
            let each: String = values.iter().map(|value| nested(value, depth + 1) + "\n").collect();
            format!("{indent}{name}:\n{}\n", each.trim_end())
        }
        value => format!("{indent}{name}: {}\n", plain(value)),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
