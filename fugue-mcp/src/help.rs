//! `fugue_help`, by which a model learns of the tools that are not listed. It is the server's own tool: there is no verb
//! behind it, and it needs no daemon.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::profiles::ToolProfile;
use crate::results;
use crate::tools::{self, ToolEntry};

/// The list of other tools if there are none.
const NO_OTHERS: &str = "This server offers no tools but those that are listed. \
                         With `tool`, each is described with all its arguments.";

/// The tool, as clients receive it.
pub(crate) fn tool() -> Tool {
    described_as("List the other fugue tools, or describe one. Call them with fugue_call.")
}

/// The tool in a list without `fugue_call`, where no other tools can be called.
pub(crate) fn tool_without_calls() -> Tool {
    described_as("Describe a fugue tool with all its arguments.")
}

fn described_as(description: &'static str) -> Tool {
    let schema = json!({ "type": "object", "properties": {
        "tool": { "type": "string", "description": "The tool to describe." },
    }});
    let Value::Object(schema) = schema else { unreachable!("the schema is an object") };
    let mut tool = Tool::new(tools::HELP, description, Arc::new(schema));
    tool.title = Some("Help".into());
    tool.annotations = Some(ToolAnnotations::new().read_only(true).open_world(false));
    tool
}

/// The result of a call, about the tools that the profile allows.
pub(crate) fn call(arguments: &Map<String, Value>, profile: &ToolProfile) -> CallToolResult {
    let Some(wanted) = arguments.get("tool").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
        let others = list(profile);
        return text(if others.is_empty() { NO_OTHERS.to_owned() } else { others });
    };
    let wanted = &tools::full_name(wanted);
    if let Some(refusal) = profile.refusal(wanted) {
        return results::error(refusal);
    }
    match tools::find(wanted) {
        Some(entry) => text(described(entry)),
        None => CallToolResult::error(vec![ContentBlock::text(results::unknown_tool(wanted).message)]),
    }
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The tools outside the default list, one on a line.
fn list(profile: &ToolProfile) -> String {
    let others = tools::all().iter().filter(|entry| entry.verb.properties.tool.core.is_none());
    let others = others.filter(|entry| profile.allows(&entry.tool.name));
    let line = |entry: &ToolEntry| {
        let description = entry.tool.description.as_deref().unwrap_or_default();
        let arguments = entry.tool.input_schema["properties"].as_object().into_iter().flatten();
        let arguments: Vec<_> = arguments.map(|(name, _)| name.as_str()).collect();
        let summary = description.split_once(['\n', '.']).map_or(description, |(first, _)| first);
        format!("{}({}): {summary}\n", entry.tool.name, arguments.join(", "))
    };
    others.map(line).collect()
}

/// A tool with its description and the schema of all its arguments, also those that the list leaves out.
fn described(entry: &ToolEntry) -> String {
    let description = entry.tool.description.as_deref().unwrap_or_default();
    let arguments = Value::Object(entry.arguments.clone());
    format!("{}: {description}\n\nArguments: {arguments}", entry.tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(arguments: Value) -> String {
        let result = call(arguments.as_object().expect("arguments"), &ToolProfile::default());
        result.content[0].as_text().expect("text").text.clone()
    }

    #[test]
    fn help_lists_the_other_tools_and_describes_any() {
        let list = shown(json!({}));
        assert!(
            list.contains(
                "fugue_list_panes(pane_id, session): List the panes in one session or in all sessions\n"
            ),
            "{list}"
        );
        assert!(!list.contains("fugue_whoami"), "{list}");
        for name in ["fugue_resize_pane", "resize_pane", "resize-pane"] {
            assert!(shown(json!({ "tool": name })).contains("\n\nArguments: {\"type\":\"object\""));
        }
        assert!(shown(json!({ "tool": "fugue_resize_pain" })).contains("did you mean fugue_resize_pane?"));
    }

    #[test]
    fn help_says_that_there_are_no_other_tools() {
        let profile = "run,wait,help".parse::<ToolProfile>().expect("a profile");
        let result = call(&Map::new(), &profile);
        assert_eq!(result.content[0].as_text().expect("text").text, NO_OTHERS);
    }
}
