//! The tools on paper: the whole list for the snapshot, and the reference page.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::tools::{self, Entry};

/// Every tool as clients are sent it.
pub fn tool_list() -> Value {
    let tools = tools::all().iter().map(|entry| serde_json::to_value(&entry.tool).unwrap_or_default());
    Value::Array(tools.collect())
}

/// The reference page, in Markdown.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    for entry in tools::all() {
        page.push_str(&tool(entry));
    }
    page.push_str("\n## Verbs that are no tools\n\n");
    for (verb, why) in tools::LEFT_OUT {
        let _ = writeln!(page, "- `{verb}`: {why}.");
    }
    page
}

const HEAD: &str = "\
# Tools

The tools that `fugue mcp` offers to agents, rendered from the verbs. This page is generated; to renew it, run the
tests of `fugue-mcp` with `FUGUE_RENEW=1`.

Arguments are read leniently: unknown ones are ignored, numbers and booleans may be text, `session_id`, `window_id`
and `pane` are other spellings of `session`, `window` and `pane_id`. A refusal is a result with `isError`: a sentence
and a hint.
";

fn tool(entry: &Entry) -> String {
    let mut text = format!("\n## {}\n\n", entry.tool.name);
    let description = entry.tool.description.as_deref().unwrap_or_default();
    let _ = writeln!(text, "{description}\n\n*{}*", hints(entry).join(", "));
    let required = entry.tool.input_schema.get("required");
    text.push_str(&table("Argument", &entry.tool.input_schema, required));
    match &entry.tool.output_schema {
        Some(schema) => text.push_str(&table("Reply", schema, None)),
        None => text.push_str("\nThe reply is text.\n"),
    }
    text
}

fn hints(entry: &Entry) -> Vec<&'static str> {
    let Some(hints) = &entry.tool.annotations else { return Vec::new() };
    let says = [
        (hints.read_only_hint, "reads only"),
        (hints.destructive_hint, "ends something for good"),
        (hints.idempotent_hint, "may be repeated"),
    ];
    let mut said: Vec<_> =
        says.into_iter().filter(|(hint, _)| *hint == Some(true)).map(|(_, says)| says).collect();
    if hints.read_only_hint != Some(true) && hints.destructive_hint != Some(true) {
        said.insert(0, "changes something");
    }
    said
}

fn table(head: &str, schema: &Map<String, Value>, required: Option<&Value>) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        return String::new();
    };
    let mut text = format!("\n| {head} | Type | |\n|---|---|---|\n");
    for (name, property) in properties {
        let must =
            required.and_then(Value::as_array).is_some_and(|names| names.iter().any(|must| must == name));
        let says =
            property["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let must = if must { " (required)" } else { "" };
        let _ = writeln!(text, "| `{name}`{must} | {} | {says}{} |", kind(property), default(property));
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
        .unwrap_or_else(|| "one of several forms".into())
}

fn default(property: &Value) -> String {
    match property.get("default") {
        Some(value) if !value.is_array() && !value.is_object() => format!(" Default: `{value}`."),
        _ => String::new(),
    }
}
