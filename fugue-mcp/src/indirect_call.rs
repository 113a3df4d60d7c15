//! `fugue_call`, by which a model calls a tool that is not listed: the agents' programs refuse to call such a tool by its
//! name. It may end something, so it is not part of the profile `observe`.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::{arguments, results, tools};

/// The tool, as clients receive it.
pub(crate) fn tool() -> Tool {
    let description = "Call a fugue tool that is not listed here; fugue_help describes it.";
    let mut tool = Tool::new(tools::CALL, description, Arc::new(schema()));
    tool.title = Some("Call a tool".into());
    tool.annotations = Some(ToolAnnotations::new().read_only(false).destructive(true).open_world(false));
    tool
}

fn schema() -> Map<String, Value> {
    let schema = json!({ "type": "object", "required": ["tool"], "properties": {
        "tool": { "type": "string", "description": "The tool's name" },
        "arguments": { "type": "object", "description": "The tool's arguments" },
    }});
    let Value::Object(schema) = schema else { unreachable!("the schema is an object") };
    schema
}

/// The request for the tool that is to be called, or why there is none. Any other request is returned as it is.
pub(crate) fn target(mut request: CallToolRequestParams) -> Result<CallToolRequestParams, String> {
    if request.name == tools::CALL {
        let given = request.arguments.take().unwrap_or_default();
        let read = arguments::read(&schema(), given.clone());
        request.name = tool_name(&read)?.into();
        request.arguments = Some(tool_arguments(read, given)?);
    }
    Ok(request)
}

fn tool_name(read: &Map<String, Value>) -> Result<String, String> {
    let name = read.get("tool").and_then(Value::as_str).filter(|name| !name.is_empty());
    let missing =
        || format!("{} needs the argument `tool`\nhint: {} lists the tools", tools::CALL, tools::HELP);
    let name = tools::full_name(name.ok_or_else(missing)?);
    match name == tools::HELP || tools::find(&name).is_some() {
        true => Ok(name),
        false => Err(results::unknown_tool(&name).message.into_owned()),
    }
}

/// The arguments of the tool. Some models put them beside its name.
fn tool_arguments(
    mut read: Map<String, Value>,
    given: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    match read.remove("arguments") {
        Some(Value::Object(arguments)) => Ok(arguments),
        Some(_) => Err("`arguments` must be an object".to_owned()),
        None => Ok(given.into_iter().filter(|(name, _)| name != "tool" && name != "arguments").collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tool and the arguments that a call leads to, or its error.
    fn leads_to(arguments: Value) -> Result<(String, Value), String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let target = target(CallToolRequestParams::new(tools::CALL).with_arguments(arguments))?;
        Ok((target.name.into_owned(), Value::Object(target.arguments.unwrap_or_default())))
    }

    #[test]
    fn a_tool_is_called_with_its_arguments_wherever_a_model_puts_them() {
        let expected = ("fugue_kill_session".to_owned(), json!({ "session": "a" }));
        for given in [
            json!({ "tool": "fugue_kill_session", "arguments": { "session": "a" } }),
            json!({ "tool": "kill-session", "arguments": "{\"session\": \"a\"}" }),
            json!({ "tool": "kill_session", "session": "a" }),
        ] {
            assert_eq!(leads_to(given), Ok(expected.clone()));
        }
    }

    #[test]
    fn a_call_of_no_tool_is_an_error_that_names_the_next_step() {
        for (given, expected) in [
            (json!({}), "fugue_call needs the argument `tool`\nhint: fugue_help lists the tools"),
            (
                json!({ "tool": "kil_session" }),
                "Unknown tool: fugue_kil_session\nhint: did you mean fugue_kill_session?",
            ),
            (
                json!({ "tool": tools::CALL }),
                "Unknown tool: fugue_call\nhint: fugue_help lists the other tools",
            ),
            (json!({ "tool": "kill_session", "arguments": "a" }), "`arguments` must be an object"),
        ] {
            assert_eq!(leads_to(given), Err(expected.into()));
        }
    }
}
