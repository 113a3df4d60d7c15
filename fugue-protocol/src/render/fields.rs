//! The default rendering for people: names and values, nested by indentation.

use serde_json::Value;

use crate::escape::escape;

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
        Value::Object(_) => format!("{indent}{}:\n{}", escape(name), nested(value, depth + 1)),
        Value::Array(values) if values.iter().all(|value| !value.is_object()) => {
            let values: Vec<_> = values.iter().map(plain).collect();
            format!("{indent}{name}: {}\n", values.join(", "))
        }
        Value::Array(values) => {
            let each: String = values.iter().map(|value| nested(value, depth + 1) + "\n").collect();
            format!("{indent}{name}:\n{}\n", each.trim_end())
        }
        value => format!("{indent}{}: {}\n", escape(name), plain(value)),
    }
}

/// A value. Its further lines are indented, so that none of them looks like another field.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.replace('\n', "\n    "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_value_looks_like_another_field() {
        let reply = json!({ "A": "one\nB: two", "entries": { "x\ny": "1" } });
        assert_eq!(listing(&reply), "A: one\n    B: two\nentries:\n  x\\ny: 1\n");
    }
}
