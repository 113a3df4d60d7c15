//! What fugue adds to one of an agent's files: how to tell whether it is there, how to add it, and how to remove it.

use serde_json::{Value, json};

use super::codex_feature;
use super::codex_table::{self, CodexServer};
use super::jsonc::{self, Document};

/// What belongs into a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FileContents {
    /// A member of a JSON object: the MCP server, by the path of its name.
    Server { path: [&'static str; 2], server: Value },
    /// The table of the MCP server in Codex's `config.toml`, which runs this command.
    CodexServer { command: String },
    /// The setting in Codex's `config.toml` that keeps panes apart.
    CodexFeature,
    /// Lists of hooks by event, for this agent.
    Hooks { agent: &'static str, events: Vec<(String, Value)> },
    /// A file that is fugue's own: OpenCode's plugin.
    Plugin { text: String },
}

/// How a plugin of fugue begins, of whichever version.
const PLUGIN_MARK: &str = "// fugue's plugin for ";

impl FileContents {
    /// Says what a file lacks. The error says why the file cannot be used.
    pub(super) fn missing(&self, text: &str) -> Result<Option<&'static str>, String> {
        const SERVER: Option<&str> = Some("the MCP server");
        Ok(match self {
            Self::Server { path, .. } => match document(text, |document| Ok(document.get(path)))? {
                Some(server) if is_fugue(&server) => None,
                Some(server) => return Err(name_taken(&command_of(&server))),
                None => SERVER,
            },
            Self::CodexServer { .. } => match codex_table::read(text)? {
                CodexServer::Missing => SERVER,
                CodexServer::WithoutVariables => Some("the MCP server's environment variables"),
                CodexServer::Complete => None,
                CodexServer::Other(command) => return Err(name_taken(&command)),
            },
            Self::CodexFeature => codex_feature::is_missing(text)?.then_some("the daemon_auto_start setting"),
            Self::Hooks { agent, events } => document(text, |document| {
                let present = |event: &str| !hooks_of(document, agent, event).is_empty();
                Ok(events.iter().any(|(event, _)| !present(event)).then_some("the hooks"))
            })?,
            Self::Plugin { .. } if text.trim().is_empty() => Some("the plugin"),
            Self::Plugin { .. } if text.starts_with(PLUGIN_MARK) => None,
            Self::Plugin { .. } => return Err("it is not fugue's plugin; rename or remove it".into()),
        })
    }

    /// Whether a file contains exactly what belongs into it, and not only something that works.
    pub(super) fn is_current(&self, text: &str) -> Result<bool, String> {
        match self {
            Self::Server { path, server } => {
                document(text, |document| Ok(document.get(path).as_ref() == Some(server)))
            }
            Self::CodexServer { command } => codex_table::is_current(text, command),
            Self::CodexFeature => Ok(!codex_feature::is_missing(text)?),
            Self::Hooks { events, .. } => document(text, |document| {
                let has = |(event, group): &(String, Value)| {
                    let groups = document.get(&["hooks", event]).unwrap_or_default();
                    groups.as_array().is_some_and(|groups| groups.contains(group))
                };
                Ok(events.iter().all(has))
            }),
            Self::Plugin { text: own } => Ok(text == own),
        }
    }

    /// Adds what a file lacks. What was edited is read again, so that no broken file is written.
    pub(super) fn add(&self, text: &str) -> Result<String, String> {
        if self.missing(text)?.is_none() {
            return Ok(text.to_owned());
        }
        let added = self.edited_in(text)?;
        match self.missing(&added) {
            Ok(None) => Ok(added),
            Ok(Some(missing)) => Err(format!("{missing} cannot be added; add it manually")),
            Err(why) => Err(format!("it cannot be edited: the result would have an error ({why})")),
        }
    }

    fn edited_in(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Server { path, server } => {
                document(text, |document| jsonc::add_member(document, path, server))
            }
            Self::CodexServer { command } => match codex_table::read(text)? {
                CodexServer::Missing => codex_table::add(text, command),
                _ => codex_table::add_variables(text),
            },
            Self::CodexFeature => codex_feature::add(text),
            Self::Hooks { agent, events } => {
                let add = |text: String, (event, group): &(String, Value)| {
                    document(&text, |document| add_hooks(document, agent, event, group))
                };
                events.iter().try_fold(text.to_owned(), add)
            }
            Self::Plugin { text } => Ok(text.clone()),
        }
    }

    /// Removes what fugue added to a file: nothing that was there `before`, but the objects and lists around it that
    /// were not. What was edited is read again.
    pub(super) fn remove(&self, text: &str, before: Option<&str>) -> Result<String, String> {
        if text.trim().is_empty() {
            return Ok(text.to_owned());
        }
        let removed = self.edited_out(text, before)?;
        match self.missing(&removed) {
            Err(why) if self.missing(text).is_ok() => {
                Err(format!("it cannot be edited: the result would have an error ({why})"))
            }
            _ => Ok(removed),
        }
    }

    fn edited_out(&self, text: &str, before: Option<&str>) -> Result<String, String> {
        match self {
            Self::Server { path, .. } => {
                let is_there = |text: &str| {
                    document(text, |document| Ok(document.get(path).is_some_and(|server| is_fugue(&server))))
                };
                if !is_there(text)? || before.is_some_and(|before| is_there(before).unwrap_or(false)) {
                    return Ok(text.to_owned());
                }
                let text = document(text, |document| Ok(jsonc::remove_member(document, path)))?;
                prune(text, &path[..1], before)
            }
            Self::CodexServer { .. } => {
                let is_there = |text: &str| -> Result<bool, String> {
                    let found = codex_table::read(text)?;
                    Ok(matches!(found, CodexServer::Complete | CodexServer::WithoutVariables))
                };
                let keep = !is_there(text)? || before.is_some_and(|before| is_there(before).unwrap_or(false));
                if keep { Ok(text.to_owned()) } else { codex_table::remove(text) }
            }
            Self::CodexFeature => codex_feature::remove(text, before),
            Self::Hooks { agent, events } => {
                let had = |event: &str| {
                    let hooks = |document: &Document<'_>| Ok(!hooks_of(document, agent, event).is_empty());
                    before.is_some_and(|before| document(before, hooks).unwrap_or(false))
                };
                let added = events.iter().filter(|(event, _)| !had(event));
                let text = added.map(|(event, _)| event).try_fold(text.to_owned(), |text, event| {
                    prune(remove_hooks(text, agent, event)?, &["hooks", event], before)
                })?;
                prune(text, &["hooks"], before)
            }
            Self::Plugin { .. } => {
                let is_own = text.starts_with(PLUGIN_MARK);
                Ok(if is_own { before.unwrap_or_default() } else { text }.to_owned())
            }
        }
    }
}

fn name_taken(command: &str) -> String {
    format!("its MCP server \"fugue\" runs `{command}`; rename or remove it")
}

/// Edits or reads a document; a file without contents counts as an empty object.
fn document<T>(text: &str, run: impl FnOnce(&Document<'_>) -> Result<T, String>) -> Result<T, String> {
    let text = if text.trim_start_matches('\u{feff}').trim().is_empty() { "{}\n" } else { text };
    run(&Document::parse(text)?)
}

/// Whether an entry runs fugue's MCP server.
fn is_fugue(server: &Value) -> bool {
    match words_of(server).as_slice() {
        [command, argument, ..] => super::runs_fugue(command) && argument == "mcp",
        // The path may have spaces in it.
        [line] => line.rsplit_once(' ').is_some_and(|(path, word)| super::runs_fugue(path) && word == "mcp"),
        [] => false,
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

/// Whether a hook runs `fugue hook AGENT`.
fn is_hook(hook: &Value, agent: &str) -> bool {
    let command = hook["command"].as_str().unwrap_or_default();
    let mut words = command.rsplitn(3, ' ');
    let (last, middle, first) = (words.next(), words.next(), words.next());
    last == Some(agent) && middle == Some("hook") && first.is_some_and(super::runs_fugue)
}

/// Returns the places of fugue's hooks in the list of an event: the group, and the hook in the group.
fn hooks_of(document: &Document<'_>, agent: &str, event: &str) -> Vec<(usize, usize)> {
    let groups = document.get(&["hooks", event]).unwrap_or_default();
    let groups = groups.as_array().cloned().unwrap_or_default();
    let hooks = groups.iter().enumerate().flat_map(|(group, hooks)| {
        let hooks = hooks["hooks"].as_array().into_iter().flatten().enumerate();
        hooks.map(move |(position, hook)| ((group, position), hook))
    });
    hooks.filter(|(_, hook)| is_hook(hook, agent)).map(|(place, _)| place).collect()
}

fn add_hooks(document: &Document<'_>, agent: &str, event: &str, group: &Value) -> Result<String, String> {
    if !hooks_of(document, agent, event).is_empty() {
        return Ok(document.text().to_owned());
    }
    let path = ["hooks", event];
    match document.get(&path) {
        Some(_) => jsonc::append_element(document, &path, group),
        None => jsonc::add_member(document, &path, &json!([group])),
    }
}

/// Removes fugue's hooks from the list of an event; a group that holds nothing else is removed as a whole.
fn remove_hooks(mut text: String, agent: &str, event: &str) -> Result<String, String> {
    while let Some(removed) = document(&text, |document| {
        let Some(&(group, position)) = hooks_of(document, agent, event).last() else { return Ok(None) };
        let groups = document.get(&["hooks", event]).unwrap_or_default();
        let alone = groups[group]["hooks"].as_array().is_some_and(|hooks| hooks.len() == 1);
        Ok(Some(if alone {
            jsonc::remove_element(document, &["hooks", event], group)
        } else {
            jsonc::remove_nested_element(document, &["hooks", event], group, "hooks", position)
        }))
    })? {
        text = removed;
    }
    Ok(text)
}

/// Removes an empty object or list, unless it was there before. Without knowledge of what was there, it stays.
fn prune(text: String, path: &[&str], before: Option<&str>) -> Result<String, String> {
    let had = |before: &str| document(before, |document| Ok(document.get(path).is_some())).unwrap_or(false);
    if before.is_none_or(had) {
        return Ok(text);
    }
    document(&text, |document| {
        let empty = document.get(path).is_some_and(|value| value == json!({}) || value == json!([]));
        Ok(if empty { jsonc::remove_member(document, path) } else { text.clone() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(command: Value) -> FileContents {
        FileContents::Server { path: ["mcp", "fugue"], server: command }
    }

    #[test]
    fn a_fugue_in_a_path_with_spaces_is_added_recognized_and_removed() {
        for command in [
            json!({ "command": ["/my tools/fugue", "mcp"] }),
            json!({ "command": "/my tools/fugue", "args": ["mcp"] }),
        ] {
            let contents = server(command);
            let added = contents.add("{\"a\": 1}\n").expect("it can be added");
            assert_eq!(contents.missing(&added), Ok(None), "{added}");
            assert_eq!(contents.remove(&added, Some("{\"a\": 1}\n")), Ok("{\"a\": 1}\n".into()));
        }
        assert!(is_fugue(&json!({ "command": "/my tools/fugue mcp" })));
        for other in [json!({ "command": "/my fugue/other", "args": ["mcp"] }), json!({ "command": "fugue" })]
        {
            assert!(!is_fugue(&other), "{other}");
        }
        let hooks = super::super::agents::hooks("claude", "/my tools/fugue");
        let added = hooks.add("").expect("they can be added");
        assert!(added.contains("'/my tools/fugue' hook claude"), "{added}");
        assert_eq!(hooks.missing(&added), Ok(None));
    }

    #[test]
    fn an_entry_never_becomes_part_of_a_comment() {
        let contents = server(json!({ "type": "local", "command": ["fugue", "mcp"] }));
        for text in [
            "{ \"mcp\": { // servers\n} }\n",
            "{ \"a\": 1, // last\n}\n",
            "{ \"a\": 1 // last\n}\n",
            "{ // nothing yet\n}\n",
            "{ \"mcp\": { /* a */ // b\n  // c\n} }",
        ] {
            let added = contents.add(text).expect(text);
            assert_eq!(contents.missing(&added), Ok(None), "{added}");
        }
    }
}
