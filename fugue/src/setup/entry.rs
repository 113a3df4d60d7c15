//! What an agent's file lacks of the entries that belong into it, and whether an entry is there.

use fugue_agents::PluginSource;
use fugue_agents::setup::{SetupEntry, SetupFile, is_server, runs_fugue, words_of};
use serde_json::Value;

use super::document::{self, Edit, at};

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

/// Returns what a file with this text lacks.
pub(super) fn missing(file: &SetupFile, text: &str) -> Result<Vec<MissingEntry>, String> {
    let missing = || {
        let values = document::values(file.format, text)?;
        let missing: Result<Vec<_>, String> =
            file.entries.iter().map(|entry| missing_of(entry, &values)).collect();
        Ok(missing?.into_iter().flatten().collect())
    };
    missing().map_err(|why| failed(file, why))
}

/// Adds what a file with this text lacks.
pub(super) fn add(file: &SetupFile, text: &str) -> Result<String, String> {
    let added = missing(file, text)?
        .iter()
        .try_fold(text.to_owned(), |text, missing| document::edit(file.format, &text, &missing.edit));
    added.map_err(|why| failed(file, why))
}

/// Says why a file cannot be used.
pub(super) fn failed(file: &SetupFile, why: String) -> String {
    format!("Cannot use {}: {why}", file.path.display())
}

/// Returns what a file lacks of an entry. An entry of the user that runs fugue is good enough. The error says what is in its
/// place.
fn missing_of(entry: &SetupEntry, values: &Value) -> Result<Option<MissingEntry>, String> {
    let (path, value) = (entry.path(), entry.value());
    let found = at(values, &path);
    let missing = |what: &str, edit| Ok(Some(MissingEntry { what: what.to_owned(), edit }));
    match (entry, found) {
        (SetupEntry::Server { .. }, Some(server)) if !is_server(server) => {
            let command = words_of(server).join(" ");
            Err(format!("its MCP server \"fugue\" runs `{command}`; rename or remove it"))
        }
        (SetupEntry::Server { value, variables, .. }, Some(server)) => match variables {
            Some(name) if !lists_all(&server[name], &value[name]) => {
                let path = [path, vec![(*name).into()]].concat();
                let edit = Edit::Insert { path, value: value[name].clone() };
                missing("the MCP server's environment variables", edit)
            }
            _ => Ok(None),
        },
        (SetupEntry::Server { .. }, None) => missing("the MCP server", Edit::Insert { path, value }),
        (SetupEntry::Hook { agent, event, .. }, _) => match has_hook(values, agent, event) {
            true => Ok(None),
            false => missing(&format!("the hook for {event}"), Edit::Append { path, value }),
        },
        (SetupEntry::Setting { .. }, Some(_)) => Ok(None),
        (SetupEntry::Setting { path: [_, name], .. }, None) => {
            missing(&format!("the {name} setting"), Edit::Insert { path, value })
        }
        (SetupEntry::Plugin { .. }, text) => match text.and_then(Value::as_str).unwrap_or_default() {
            text if text.trim().is_empty() => missing("the plugin", Edit::Insert { path, value }),
            text if PluginSource::is_plugin(text) => Ok(None),
            _ => Err("it is not fugue's plugin; rename or remove it".into()),
        },
    }
}

/// Whether a file has an entry of fugue in this place, whoever wrote it.
pub(super) fn is_in(entry: &SetupEntry, values: &Value) -> bool {
    match entry {
        SetupEntry::Server { path, .. } => at(values, path).is_some_and(is_server),
        SetupEntry::Hook { agent, event, .. } => has_hook(values, agent, event),
        SetupEntry::Plugin { .. } => values.as_str().is_some_and(PluginSource::is_plugin),
        // The setting is a user's as well as fugue's.
        SetupEntry::Setting { .. } => false,
    }
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
    use fugue_agents::{Environment, KnownAgent};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hook_with_a_path_with_spaces_is_recognized() {
        let environment = Environment::new(std::path::Path::new("/home/me"), &|_| None);
        let agents = KnownAgent::all().iter().filter(|agent| agent.has_hooks());
        for agent in agents {
            let files = (agent.setup.files)(&environment, "/my tools/fugue");
            let hook = |file: &SetupFile| {
                file.entries.iter().find(|entry| matches!(entry, SetupEntry::Hook { .. })).cloned()
            };
            let (file, hook) =
                files.iter().find_map(|file| Some((file, hook(file)?))).expect("a file with hooks");
            let missing = missing_of(&hook, &json!({})).expect("valid").expect("missing");
            let added = document::edit(file.format, "", &missing.edit).expect("added");
            assert!(added.contains(&format!("'/my tools/fugue' hook {}", agent.name)), "{added}");
            assert!(is_in(&hook, &document::values(file.format, &added).expect("valid")), "{added}");
        }
    }
}
