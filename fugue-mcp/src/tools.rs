//! The tools: one for each verb, generated from the verb's row, its struct and the type of its reply.

use std::sync::{Arc, LazyLock};

use fugue_protocol::verbs::{Nature, VERBS, VerbInfo};
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::schema;

/// The description of `unread`, which any reply may have.
const UNREAD: &str = "Number of unacknowledged messages for you; fugue_poll_messages reads them.";

/// The tool that lists and describes the other tools.
pub(crate) const HELP: &str = "fugue_help";

/// The tool that calls a tool that is not listed.
pub(crate) const CALL: &str = "fugue_call";

/// Arguments that name the target of a call. They come first in the schema.
pub(crate) const TARGETS: [&str; 4] = ["pane_id", "session", "window", "client"];

/// A tool and its verb.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) verb: &'static VerbInfo,
    /// The tool as clients receive it.
    pub(crate) tool: Tool,
    /// The schema of all arguments, with those that the list leaves out.
    pub(crate) arguments: Map<String, Value>,
    /// The schema of the reply with the descriptions of its fields; `None` if the reply is text.
    pub(crate) reply: Option<Map<String, Value>>,
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
    let place = |entry: &ToolEntry| entry.verb.properties.tool.core.unwrap_or(u8::MAX);
    all.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.tool.name.cmp(&b.tool.name)));
    all
});

/// All tools: those of the default list in the order of use, then the others by name.
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

/// What the name of every tool begins with.
pub(crate) const PREFIX: &str = "fugue_";

/// The name of a tool that may be given without its prefix, or as the verb.
pub(crate) fn full_name(name: &str) -> String {
    if name.starts_with(PREFIX) { name.to_owned() } else { name_of(name) }
}

/// The verbs that are not tools, and why.
pub(crate) fn withheld() -> impl Iterator<Item = (&'static str, &'static str)> {
    VERBS.iter().filter_map(|verb| Some((verb.name, verb.properties.tool.withheld?)))
}

fn entry(verb: &'static VerbInfo) -> ToolEntry {
    let (input, output) = verb.schemas();
    let description = description(verb, &input);
    let arguments = arguments(verb, input);
    let reply = (!verb.reply_is_text).then(|| reply(output));
    let mut tool = Tool::new(name_of(verb.name), description, Arc::new(listed(verb, arguments.clone())));
    tool.title = Some(title(verb.name));
    tool.annotations = Some(annotations(verb));
    tool.output_schema = reply.clone().map(|reply| Arc::new(schema::outline(reply)));
    tool.meta = verb.properties.tool.always_loaded.then(always_load);
    ToolEntry { verb, tool, arguments, reply }
}

/// The name of a tool for people.
fn title(verb: &str) -> String {
    let words = verb.replace('-', " ");
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}

/// The verb's own description, followed by the note for models.
fn description(verb: &VerbInfo, schema: &Schema) -> String {
    let own = schema.get("description").and_then(Value::as_str).map(unwrapped);
    let parts = own.into_iter().chain(verb.properties.tool.note.map(str::to_owned));
    in_tool_words(&parts.collect::<Vec<_>>().join("\n"))
}

/// A text without the line breaks of the source, each paragraph on a line.
fn unwrapped(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// A text in which verbs are named as tools.
fn in_tool_words(text: &str) -> String {
    let named = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let verb = VERBS.iter().find(|verb| verb.name == bare && bare.contains('-'));
        verb.map_or_else(|| word.to_owned(), |verb| word.replace(bare, &name_of(verb.name)))
    };
    text.split(' ').map(named).collect::<Vec<_>>().join(" ")
}

/// The arguments that are listed. The server chooses an idempotency key itself, and a default that goes without saying
/// only costs space.
fn listed(verb: &VerbInfo, mut schema: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return schema };
    properties.retain(|name, _| {
        name != "idempotency_key" && !verb.properties.tool.unlisted.contains(&name.as_str())
    });
    let fields = properties.iter_mut().filter_map(|(name, value)| Some((name, value.as_object_mut()?)));
    for (name, property) in fields {
        let obvious = |value: &Value| [json!(false), json!({}), json!([])].contains(value);
        if property.get("default").is_some_and(obvious) {
            property.shift_remove("default");
        }
        if let Some(Value::Object(items)) = property.get_mut("items") {
            items.shift_remove("description");
        }
        let choices = choices(property);
        if let Some(Value::String(description)) = property.get_mut("description") {
            let is_required = verb.properties.tool.required.contains(&name.as_str());
            *description = brief(&description.replace(&choices, ""), is_required);
        }
    }
    schema
}

/// The values of an argument as its description lists them for the command line. In a schema, they are listed anyway.
fn choices(property: &Map<String, Value>) -> String {
    let names: Vec<_> = property.get("enum").and_then(Value::as_array).into_iter().flatten().collect();
    let names: Vec<_> = names.into_iter().filter_map(Value::as_str).collect();
    match names.split_last() {
        Some((last, others)) => format!(": {} or {last}", others.join(", ")),
        // No description contains this.
        None => "\0".into(),
    }
}

/// A description on one line, without the default of an argument that is required in the tool, and without the period if
/// it is a single sentence.
fn brief(description: &str, is_required: bool) -> String {
    let text = in_tool_words(&unwrapped(description));
    let text = match text.split_once(" Defaults to ") {
        Some((before, _)) if is_required => before.to_owned(),
        _ => text,
    };
    match text.strip_suffix('.') {
        Some(sentence) if !sentence.contains(". ") => sentence.to_owned(),
        _ => text,
    }
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
    if properties.is_empty() {
        properties.insert("done".into(), json!({ "type": "boolean" }));
    }
    let unread = json!({ "type": "integer", "description": UNREAD });
    properties.entry("unread").or_insert(unread);
    schema
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
    fn descriptions_are_brief_and_name_tools() {
        assert_eq!(brief("Ids, as in\n`list-clients`.", false), "Ids, as in `fugue_list_clients`");
        assert_eq!(brief("A pane. Defaults to yours.", true), "A pane");
        assert_eq!(brief("A pane. Defaults to yours.", false), "A pane. Defaults to yours.");
    }

    #[test]
    fn a_list_does_not_repeat_the_values_of_an_argument_or_the_session_of_a_required_pane() {
        let property =
            |tool: &str, name: &str| find(tool).unwrap().tool.input_schema["properties"].get(name).cloned();
        let until = property("fugue_wait", "until").unwrap();
        assert_eq!(
            until["description"],
            "What to wait for. Defaults to `match` with `pattern`, otherwise to `exit`."
        );
        assert_eq!(property("fugue_get_output", "session"), None);
        assert!(find("fugue_get_output").unwrap().arguments["properties"].get("session").is_some());
    }

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
            let title = entry.tool.title.as_deref().expect("a title");
            assert!(title.starts_with(char::is_uppercase) && !title.contains('-'), "{title}");
            // Some clients allow 64 characters, and use up to 24 of them for a prefix.
            assert!(entry.tool.name.len() <= 30, "{}", entry.tool.name);
        }
    }
}
