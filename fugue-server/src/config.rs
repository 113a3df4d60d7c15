//! `config.toml`: read once, when the daemon starts. A mistake is told, with its place, and the rest holds.

use std::path::Path;

use fugue_core::Settings;
use fugue_core::scope::Scopes;
use fugue_protocol::refusal::nearest;
use fugue_protocol::views::OnExit;
use serde::Deserialize;

/// What a person may choose.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Config {
    /// The shell that runs when nothing else is asked for; `$SHELL` when left out.
    pub(crate) shell: Option<String>,
    /// What becomes of a pane when its program ends.
    pub(crate) on_exit: OnExit,
    /// Lines of history that a pane keeps.
    pub(crate) history_lines: usize,
    /// Bytes of history that a pane keeps, whatever the lines are.
    pub(crate) history_bytes: usize,
    /// Whether bash, zsh and fish are given prompt marks, by which `run` knows where a command begins and ends.
    pub(crate) prompt_marks: bool,
    /// Agents may type into panes in which another agent asks a person for leave.
    pub(crate) agents_may_answer: bool,
    /// Agents may ask that a line which tells of messages is typed into their pane.
    pub(crate) type_notices: bool,
    /// How far the agents of a session reach, by its name: observe, descendants or all.
    pub(crate) scopes: Scopes,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            shell: None,
            on_exit: OnExit::Close,
            history_lines: 10_000,
            history_bytes: 32 << 20,
            prompt_marks: true,
            agents_may_answer: false,
            type_notices: false,
            scopes: Scopes::default(),
        }
    }
}

/// What can be chosen, for the hint at a wrong name.
const NAMES: [&str; 12] = [
    "shell",
    "on_exit",
    "history_lines",
    "history_bytes",
    "prompt_marks",
    "agents_may_answer",
    "type_notices",
    "scopes",
    "client",
    "theme",
    "keys",
    "copy_keys",
];

/// Sections of the same file that the terminal client reads, and complains about.
const CLIENTS: [&str; 4] = ["client", "theme", "keys", "copy_keys"];

impl Config {
    /// The configuration in a file, and what is wrong with it. No file is no mistake.
    pub(crate) fn read(path: &Path) -> (Self, Vec<String>) {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
            Err(error) => (Self::default(), vec![format!("config.toml cannot be read: {error}")]),
        }
    }

    /// What decisions depend on.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            on_exit: self.on_exit,
            agents_may_answer: self.agents_may_answer,
            type_notices: self.type_notices,
        }
    }

    fn parse(text: &str) -> (Self, Vec<String>) {
        let mut unknown = Vec::new();
        let read = toml::Deserializer::parse(text)
            .and_then(|toml| serde_ignored::deserialize(toml, |path| unknown.push(path.to_string())));
        unknown.retain(|name| !CLIENTS.contains(&name.as_str()));
        match read {
            Ok(config) => (config, unknown.iter().map(|name| unknown_name(name)).collect()),
            Err(error) => (Self::default(), vec![wrong(text, &error)]),
        }
    }
}

/// A mistake because of which nothing of the file holds, in the words of the terminal client.
fn wrong(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("config.toml, line {line}: {}; nothing of it is used", error.message())
}

fn unknown_name(name: &str) -> String {
    let hint = nearest(name, NAMES.into_iter()).map(|near| format!("; did you mean `{near}`?"));
    format!("config.toml has no setting `{name}`{}", hint.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_told_and_the_rest_holds() {
        let (config, warnings) = Config::parse("history_line = 5\non_exit = \"keep\"\n");
        assert_eq!(config.on_exit, OnExit::Keep);
        assert_eq!(warnings, ["config.toml has no setting `history_line`; did you mean `history_lines`?"]);
    }

    #[test]
    fn the_clients_sections_are_left_to_the_client() {
        let (config, warnings) = Config::parse("on_exit = \"keep\"\n[keys]\n\"prefix h\" = \"x\"\n[theme]\n");
        assert_eq!((config.on_exit, warnings), (OnExit::Keep, Vec::new()));
    }

    #[test]
    fn a_wrong_value_is_told_with_its_line() {
        let (_, warnings) = Config::parse("\nhistory_lines = \"many\"\n");
        assert_eq!(
            warnings,
            ["config.toml, line 2: invalid type: string \"many\", expected usize; nothing of it is used"]
        );
    }
}
