//! Calls of clients in strict mode, such as OpenAI's: a model has to give every listed argument, so it gives an empty one
//! where it means none. In any other call, an empty argument is more likely a mistake, and is refused.

use serde_json::{Map, Value};

use crate::tools::ToolEntry;

/// An optional argument of which an empty string is a value: that of a variable or an entry.
const EMPTY_VALUE: &str = "value";

/// Removes the empty optional arguments of a call that gives all listed ones.
pub(crate) fn without_blanks(entry: &ToolEntry, given: Map<String, Value>) -> Map<String, Value> {
    let schema = &entry.tool.input_schema;
    let listed = schema.get("properties").and_then(Value::as_object);
    if !listed.is_some_and(|listed| listed.keys().all(|name| given.contains_key(name))) {
        return given;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|required| required.iter().any(|own| own == name));
    let is_meant =
        |name: &String, value: &Value| is_required(name) || name == EMPTY_VALUE || !is_blank(value);
    given.into_iter().filter(|(name, value)| is_meant(name, value)).collect()
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keeps(tool: &str, given: Value, expected: Value) {
        let (entry, Value::Object(given)) = (crate::tools::find(tool).unwrap(), given) else {
            panic!("{tool}")
        };
        assert_eq!(Value::Object(without_blanks(entry, given)), expected);
    }

    #[test]
    fn empty_arguments_are_dropped_only_if_all_are_given() {
        let all =
            json!({ "pane_id": "", "session": "", "command": "ls", "cwd": "", "timeout_ms": 9, "lines": 1 });
        keeps("fugue_run", all, json!({ "command": "ls", "timeout_ms": 9, "lines": 1 }));
        keeps("fugue_run", json!({ "command": "ls", "cwd": "" }), json!({ "command": "ls", "cwd": "" }));
        keeps("fugue_get_tags", json!({ "session": "" }), json!({}));
    }

    #[test]
    fn a_required_argument_and_the_value_of_a_variable_may_be_empty() {
        let kill = json!({ "session": "" });
        keeps("fugue_kill_session", kill.clone(), kill);
        keeps(
            "fugue_set_environment",
            json!({ "session": "", "name": "A", "value": "" }),
            json!({ "name": "A", "value": "" }),
        );
    }
}
