//! The tool list for the snapshot test, and the reference page.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::profiles::ToolProfile;
use crate::tools::{self, ToolEntry};

/// All tools, as clients receive them.
pub fn tool_list() -> Value {
    let tools = ToolProfile::All.tools();
    Value::Array(tools.iter().map(|tool| serde_json::to_value(tool).unwrap_or_default()).collect())
}

/// The reference page, in Markdown.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    for entry in tools::all() {
        page.push_str(&tool(entry));
    }
    page.push_str("\n## Commands that are not tools\n\n");
    for (verb, why) in tools::withheld() {
        let _ = writeln!(page, "- `{verb}`: {why}.");
    }
    page
}

const HEAD: &str = "\
# MCP tools

The tools that `fugue mcp` offers to agents. This page is generated from the verbs; to update it, run the `fugue-mcp`
tests with `FUGUE_RENEW=1`.

Arguments are parsed leniently: numbers and booleans may be strings, and `session_id`, `window_id` and `pane` are
accepted in place of `session`, `window` and `pane_id`. Read-only tools ignore unknown arguments; the other
tools refuse calls that contain any. A failed call returns a result with `isError` set, a message and a hint.
";

fn tool(entry: &ToolEntry) -> String {
    let mut text = format!("\n## {}\n\n", entry.tool.name);
    let description = entry.tool.description.as_deref().unwrap_or_default();
    let _ = writeln!(text, "{description}\n\n*{}*", properties(entry).join(", "));
    let required = entry.arguments.get("required");
    text.push_str(&table("Argument", &entry.arguments, required));
    match &entry.reply {
        Some(schema) => text.push_str(&table("Reply", schema, None)),
        None => text.push_str("\nThe reply is text.\n"),
    }
    text
}

fn properties(entry: &ToolEntry) -> Vec<&'static str> {
    let Some(annotations) = &entry.tool.annotations else { return Vec::new() };
    let (reads, ends) =
        (annotations.read_only_hint == Some(true), annotations.destructive_hint == Some(true));
    let properties = [
        (!reads && !ends, "changes state"),
        (reads, "read-only"),
        (ends, "destructive"),
        (annotations.idempotent_hint == Some(true), "idempotent"),
    ];
    properties.into_iter().filter(|(applies, _)| *applies).map(|(_, word)| word).collect()
}

fn table(head: &str, schema: &Map<String, Value>, required: Option<&Value>) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        return String::new();
    };
    let mut text = format!("\n| {head} | Type | Description |\n|---|---|---|\n");
    for (name, property) in properties {
        let is_required = required
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|required| required == name));
        let description =
            property["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let required = if is_required { " (required)" } else { "" };
        let _ = writeln!(
            text,
            "| `{name}`{required} | {} | {description}{} |",
            kind(property),
            default(property)
        );
    }
    text
}

fn kind(property: &Value) -> String {
    let names = property["enum"].as_array().map(|names| {
        names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    });
    let of = |items: &Value| items["type"].as_str().map(|kind| format!("list of {kind}s"));
    names
        .or_else(|| property.get("items").and_then(of))
        .or_else(|| property["type"].as_str().map(str::to_owned))
        .unwrap_or_else(|| "one of several types".into())
}

fn default(property: &Value) -> String {
    match property.get("default") {
        Some(value) if !value.is_array() && !value.is_object() => format!(" Default: `{value}`."),
        _ => String::new(),
    }
}
