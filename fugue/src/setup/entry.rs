//! What fugue adds to an agent's files: how to tell whether it is there, and how to add it.

use serde_json::Value;

use super::document::{Edit, at};
use super::runs_fugue;

/// An entry that belongs into a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    /// The MCP server.
    Server { path: [&'static str; 2], value: Value },
    /// A group of hooks in the list of an event.
    Hook { agent: &'static str, event: String, group: Value },
    /// A setting that is added if the file says nothing about it. What a user chose stays.
    Setting { path: [&'static str; 2], value: Value },
    /// A file that is fugue's own: OpenCode's plugin.
    Plugin { text: String },
}

/// An entry that a file lacks.
#[derive(Debug)]
pub(super) struct MissingEntry {
    /// What it is called in a message.
    pub(super) what: String,
    pub(super) edit: Edit,
}

impl MissingEntry {
    pub(super) fn is_hook(&self) -> bool {
        matches!(self.edit, Edit::Append { .. })
    }
}

/// How a plugin of fugue begins, of whichever version.
const PLUGIN_MARK: &str = "// fugue's plugin for ";

/// The field of a server in Codex's file that lists the variables to pass on.
const VARIABLES: &str = "env_vars";

impl Entry {
    /// Where it belongs; the whole file is at the empty path.
    pub(super) fn path(&self) -> Vec<String> {
        match self {
            Self::Server { path, .. } | Self::Setting { path, .. } => path.map(str::to_owned).to_vec(),
            Self::Hook { event, .. } => vec!["hooks".into(), event.clone()],
            Self::Plugin { .. } => Vec::new(),
        }
    }

    /// The value that belongs there. For hooks, an element of the list.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Server { value, .. } | Self::Setting { value, .. } => value.clone(),
            Self::Hook { group, .. } => group.clone(),
            Self::Plugin { text } => text.as_str().into(),
        }
    }

    /// Returns what a file lacks of the entry. An entry of the user that runs fugue is good enough. The error says what is
    /// in its place.
    pub(super) fn missing(&self, values: &Value) -> Result<Option<MissingEntry>, String> {
        let (path, value) = (self.path(), self.value());
        let found = at(values, &path);
        let missing = |what: &str, edit| Ok(Some(MissingEntry { what: what.to_owned(), edit }));
        match (self, found) {
            (Self::Server { .. }, Some(server)) if !is_server(server) => {
                Err(format!("its MCP server \"fugue\" runs `{}`; rename or remove it", command_of(server)))
            }
            (Self::Server { value, .. }, Some(server)) => match value.get(VARIABLES) {
                Some(needed) if !lists_all(&server[VARIABLES], needed) => {
                    let path = [path, vec![VARIABLES.into()]].concat();
                    let edit = Edit::Insert { path, value: needed.clone() };
                    missing("the MCP server's environment variables", edit)
                }
                _ => Ok(None),
            },
            (Self::Server { .. }, None) => missing("the MCP server", Edit::Insert { path, value }),
            (Self::Hook { agent, event, .. }, _) => match has_hook(values, agent, event) {
                true => Ok(None),
                false => missing(&format!("the hook for {event}"), Edit::Append { path, value }),
            },
            (Self::Setting { .. }, Some(_)) => Ok(None),
            (Self::Setting { path: [_, name], .. }, None) => {
                missing(&format!("the {name} setting"), Edit::Insert { path, value })
            }
            (Self::Plugin { .. }, text) => match text.and_then(Value::as_str).unwrap_or_default() {
                text if text.trim().is_empty() => missing("the plugin", Edit::Insert { path, value }),
                text if text.starts_with(PLUGIN_MARK) => Ok(None),
                _ => Err("it is not fugue's plugin; rename or remove it".into()),
            },
        }
    }

    /// Whether a file has an entry of fugue in this place, whoever wrote it.
    pub(super) fn is_in(&self, values: &Value) -> bool {
        match self {
            Self::Server { path, .. } => at(values, path).is_some_and(is_server),
            Self::Hook { agent, event, .. } => has_hook(values, agent, event),
            Self::Plugin { .. } => values.as_str().is_some_and(|text| text.starts_with(PLUGIN_MARK)),
            // The setting is a user's as well as fugue's.
            Self::Setting { .. } => false,
        }
    }
}

/// Whether an entry runs fugue's MCP server.
pub(super) fn is_server(server: &Value) -> bool {
    program_of(server).is_some_and(|program| runs_fugue(&program))
}

/// Returns the program of an entry that runs `PROGRAM mcp`.
pub(super) fn program_of(server: &Value) -> Option<String> {
    match words_of(server).as_slice() {
        [command, argument, ..] => (argument == "mcp").then(|| command.clone()),
        // The path may have spaces in it.
        [line] => line.strip_suffix(" mcp").map(str::to_owned),
        [] => None,
    }
}

/// The command with its arguments, for a message.
fn command_of(server: &Value) -> String {
    words_of(server).join(" ")
}

/// The command and its arguments. The command is a string, with arguments beside it or in it, or a list.
fn words_of(server: &Value) -> Vec<String> {
    let words = [&server["command"], &server["args"]].map(|part| match part {
        Value::String(word) => vec![word.clone()],
        Value::Array(words) => words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    });
    words.concat()
}

fn lists_all(list: &Value, needed: &Value) -> bool {
    let (list, needed) = (list.as_array(), needed.as_array());
    needed.into_iter().flatten().all(|name| list.is_some_and(|list| list.contains(name)))
}

/// Whether the list of an event has a hook that runs `fugue hook AGENT`.
fn has_hook(values: &Value, agent: &str, event: &str) -> bool {
    hook_programs(values, agent, event).iter().any(|program| runs_fugue(program))
}

/// Returns the programs that the hooks of an event run as `PROGRAM hook AGENT`.
pub(super) fn hook_programs(values: &Value, agent: &str, event: &str) -> Vec<String> {
    let groups = at(values, &["hooks", event]).and_then(Value::as_array).into_iter().flatten();
    let hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
    let program = |hook: &Value| {
        let mut words = hook["command"].as_str()?.rsplitn(3, ' ');
        let (last, middle, first) = (words.next(), words.next(), words.next());
        (last == Some(agent) && middle == Some("hook")).then_some(first?.to_owned())
    };
    hooks.filter_map(program).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document::FileFormat;
    use super::*;

    #[test]
    fn a_fugue_in_a_path_with_spaces_is_recognized() {
        for server in [
            json!({ "command": ["/my tools/fugue", "mcp"] }),
            json!({ "command": "/my tools/fugue", "args": ["mcp"] }),
            json!({ "command": "/my tools/fugue mcp" }),
        ] {
            assert!(is_server(&server), "{server}");
        }
        for other in [json!({ "command": "/my fugue/other", "args": ["mcp"] }), json!({ "command": "fugue" })]
        {
            assert!(!is_server(&other), "{other}");
        }
        let hooks = super::super::agents::hooks("claude", "/my tools/fugue");
        let missing = hooks[0].missing(&json!({})).expect("valid").expect("missing");
        let added = FileFormat::Json.edit("", &missing.edit).expect("added");
        assert!(added.contains("'/my tools/fugue' hook claude"), "{added}");
        assert!(hooks[0].is_in(&FileFormat::Json.values(&added).expect("valid")), "{added}");
    }
}
