//! The tools: one for each verb, generated from the verb's row, its struct and the type of its reply.

use std::sync::{Arc, LazyLock};

use fugue_protocol::verbs::{Nature, VERBS, VerbInfo};
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::schema;

/// The description of `unread`, which any reply may have.
const UNREAD: &str = "Number of unacknowledged messages for you; fugue_poll_messages reads them.";

/// Arguments that name the target of a call. They come first in the schema.
pub(crate) const TARGETS: [&str; 3] = ["pane_id", "session", "window"];

/// A tool and its verb.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) verb: &'static VerbInfo,
    pub(crate) tool: Tool,
}

impl ToolEntry {
    /// The arguments whose default differs for a model.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = (&'static str, Value)> {
        defaults(self.verb)
    }
}

static ALL: LazyLock<Vec<ToolEntry>> = LazyLock::new(|| {
    let offered = VERBS.iter().filter(|verb| verb.properties.tool.withheld.is_none());
    let mut all: Vec<_> = offered.map(entry).collect();
    all.sort_by(|a, b| a.tool.name.cmp(&b.tool.name));
    all
});

/// All tools, sorted by name.
pub(crate) fn all() -> &'static [ToolEntry] {
    &ALL
}

/// The tool with this name.
pub(crate) fn find(name: &str) -> Option<&'static ToolEntry> {
    all().iter().find(|entry| entry.tool.name == name)
}

/// The name of a verb's tool.
pub(crate) fn name_of(verb: &str) -> String {
    format!("fugue_{}", verb.replace('-', "_"))
}

/// The verbs that are not tools, and why.
pub(crate) fn withheld() -> impl Iterator<Item = (&'static str, &'static str)> {
    VERBS.iter().filter_map(|verb| Some((verb.name, verb.properties.tool.withheld?)))
}

fn entry(verb: &'static VerbInfo) -> ToolEntry {
    let (input, output) = verb.schemas();
    let mut tool = Tool::new(name_of(verb.name), description(verb, &input), Arc::new(arguments(verb, input)));
    tool.title = Some(title(verb.name));
    tool.annotations = Some(annotations(verb));
    tool.output_schema = (!verb.reply_is_text).then(|| Arc::new(reply(output)));
    tool.meta = verb.properties.tool.always_loaded.then(always_load);
    ToolEntry { verb, tool }
}

/// The verb's own description, followed by the note for models.
fn description(verb: &VerbInfo, schema: &Schema) -> String {
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    [Some(description), verb.properties.tool.note].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The schema of the arguments, with the target first.
fn arguments(verb: &VerbInfo, schema: Schema) -> Map<String, Value> {
    let mut schema = schema::simplified(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        *properties = named_for_tools(std::mem::take(properties));
        for (name, value) in defaults(verb) {
            if let Some(property) = properties.get_mut(name) {
                property["default"] = value;
            }
        }
    }
    if !verb.properties.tool.required.is_empty() {
        schema.insert("required".into(), json!(verb.properties.tool.required));
    }
    schema
}

/// The arguments by their names in tools, with the target first.
fn named_for_tools(properties: Map<String, Value>) -> Map<String, Value> {
    let rank = |name: &str| TARGETS.iter().position(|first| *first == name).unwrap_or(TARGETS.len());
    let renamed = properties.into_iter().map(|(name, property)| (argument_name(&name).to_owned(), property));
    let mut renamed: Vec<_> = renamed.collect();
    renamed.sort_by_key(|(name, _)| rank(name));
    renamed.into_iter().collect()
}

/// The defaults in a verb's row, which holds them as JSON.
fn defaults(verb: &VerbInfo) -> impl Iterator<Item = (&'static str, Value)> + use<> {
    let parsed = |(name, value): &(&'static str, &str)| Some((*name, serde_json::from_str(value).ok()?));
    verb.properties.tool.defaults.iter().filter_map(parsed)
}

/// The name of an argument. Panes are `pane_id`, as in replies.
pub(crate) fn argument_name(name: &str) -> &str {
    if name == "pane" { "pane_id" } else { name }
}

/// The schema of the reply. An empty reply gets the field `done`.
fn reply(schema: Schema) -> Map<String, Value> {
    let mut schema = schema::simplified(schema);
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return schema };
    for property in properties.values_mut() {
        schema::make_details_optional(property);
        let description = property.get("description").cloned();
        schema::remove_descriptions(property);
        if let (Some(description), Value::Object(property)) = (description, property) {
            property.insert("description".into(), description);
        }
    }
    if properties.is_empty() {
        properties.insert("done".into(), json!({ "type": "boolean" }));
    }
    let unread = json!({ "type": "integer", "description": UNREAD });
    properties.entry("unread").or_insert(unread);
    schema
}

fn title(verb: &str) -> String {
    let words = verb.replace('-', " ");
    words.chars().take(1).flat_map(char::to_uppercase).chain(words.chars().skip(1)).collect()
}

fn annotations(verb: &VerbInfo) -> ToolAnnotations {
    let reads = verb.nature == Nature::Reads;
    let ends = verb.nature == Nature::Ends || verb.properties.destructive;
    let idempotent = reads || verb.properties.idempotent;
    ToolAnnotations::new().read_only(reads).destructive(ends).idempotent(idempotent).open_world(false)
}

fn always_load() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert("anthropic/alwaysLoad".into(), json!(true));
    meta
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_simple_and_required_arguments_exist() {
        for entry in all() {
            let text = serde_json::to_string(&entry.tool).unwrap();
            for keyword in ["$ref", "$defs", "$schema", "\"format\":\"", "\"null\"", "anyOf"] {
                assert!(!text.contains(keyword), "{}: {keyword} in {text}", entry.tool.name);
            }
            let required = entry.tool.input_schema.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                assert!(
                    entry.tool.input_schema["properties"].get(name).is_some(),
                    "{}: {name}",
                    entry.tool.name
                );
            }
            // Some clients allow 64 characters, and use up to 24 of them for a prefix.
            assert!(entry.tool.name.len() <= 30, "{}", entry.tool.name);
        }
    }
}
