//! The files of agents into which fugue's MCP server, hooks and plugin belong, and the entries for them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::hooks::AgentHooks;

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// JSON with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// A file that is fugue's as a whole: one value, without a path.
    Whole,
}

/// One of an agent's files, and what belongs into it.
#[derive(Debug, Clone, PartialEq)]
pub struct SetupFile {
    /// Its path, if there is none of the others.
    pub path: PathBuf,
    /// Other names of the file, all of which the agent reads: the first one that exists is used.
    pub other_paths: Vec<PathBuf>,
    /// Its language.
    pub format: FileFormat,
    /// What belongs into it.
    pub entries: Vec<SetupEntry>,
    /// What a new file starts with.
    pub template: &'static str,
    /// The member of fugue's server in which the agent keeps what the user allowed.
    pub approvals: Option<&'static str>,
}

/// An entry that belongs into a file.
#[derive(Debug, Clone, PartialEq)]
pub enum SetupEntry {
    /// The MCP server.
    Server {
        /// Its place.
        path: [&'static str; 2],
        /// Its value.
        value: Value,
        /// The member of the value that lists the variables to pass on.
        variables: Option<&'static str>,
    },
    /// A group of hooks in the list of an event.
    Hook {
        /// The agent's name.
        agent: &'static str,
        /// The event.
        event: String,
        /// The group.
        group: Value,
    },
    /// A setting that is added if the file says nothing about it. What a user chose stays.
    Setting {
        /// Its place.
        path: [&'static str; 2],
        /// Its value.
        value: Value,
    },
    /// A file that is fugue's own: a plugin.
    Plugin {
        /// Its text.
        text: String,
    },
}

impl SetupEntry {
    /// Returns where it belongs; the whole file is at the empty path.
    pub fn path(&self) -> Vec<String> {
        match self {
            Self::Server { path, .. } | Self::Setting { path, .. } => path.map(str::to_owned).to_vec(),
            Self::Hook { event, .. } => vec!["hooks".into(), event.clone()],
            Self::Plugin { .. } => Vec::new(),
        }
    }

    /// Returns the value that belongs there. For hooks, an element of the list.
    pub fn value(&self) -> Value {
        match self {
            Self::Server { value, .. } | Self::Setting { value, .. } => value.clone(),
            Self::Hook { group, .. } => group.clone(),
            Self::Plugin { text } => text.as_str().into(),
        }
    }
}

/// The arguments of `fugue mcp` for agents that send every listed tool with every request: fewer tools are listed. Agents
/// that search for tools get the default list, since a tool that is not listed is not found.
pub(crate) const SMALL_LIST: [&str; 2] = ["--tools", "small"];

/// A file in JSON.
pub(crate) fn json_file(path: PathBuf, entries: Vec<SetupEntry>) -> SetupFile {
    let other_paths = Vec::new();
    SetupFile { path, other_paths, format: FileFormat::Json, entries, template: "", approvals: None }
}

/// The entries for the hooks of an agent.
pub(crate) fn hook_entries(agent: &'static str, hooks: &AgentHooks, command: &str) -> Vec<SetupEntry> {
    let settings = hooks.settings(agent, &shell_word(command));
    let events = settings["hooks"].as_object().into_iter().flatten();
    events
        .map(|(event, groups)| SetupEntry::Hook { agent, event: event.clone(), group: groups[0].clone() })
        .collect()
}

/// Quotes a path for a shell, if it needs quotes.
pub fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(plain) { path.into() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// Whether a command is fugue, by name or path.
pub fn runs_fugue(command: &str) -> bool {
    Path::new(command.trim_matches(['\'', '"'])).file_name().is_some_and(|name| name == "fugue")
}

/// Whether an entry runs fugue's MCP server.
pub fn is_server(server: &Value) -> bool {
    program_of(server).is_some_and(|program| runs_fugue(&program))
}

/// Returns the program of an entry that runs `PROGRAM mcp`.
pub fn program_of(server: &Value) -> Option<String> {
    match words_of(server).as_slice() {
        [command, argument, ..] => (argument == "mcp").then(|| command.clone()),
        // The path may have spaces in it.
        [line] => line.strip_suffix(" mcp").map(str::to_owned),
        [] => None,
    }
}

/// Returns the command of an entry and its arguments. The command is a string, with arguments beside it or in it, or a list.
pub fn words_of(server: &Value) -> Vec<String> {
    let words = [&server["command"], &server["args"]].map(|part| match part {
        Value::String(word) => vec![word.clone()],
        Value::Array(words) => words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    });
    words.concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    }
}
