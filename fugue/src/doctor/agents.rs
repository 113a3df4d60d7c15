//! Agents that are installed: whether fugue is registered as their MCP server, and its hooks in their settings.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::Check;

/// An agent that fugue knows how to set up.
struct AgentSetup {
    /// Its command.
    command: &'static str,
    /// The files, below the home directory, that name its MCP servers.
    servers: &'static [&'static str],
    /// The command or step that registers fugue.
    register: &'static str,
    /// The files that name its hooks; none for an agent without hooks.
    hooks: &'static [&'static str],
}

const AGENTS: [AgentSetup; 4] = [
    AgentSetup {
        command: "claude",
        servers: &[".claude.json"],
        register: "claude mcp add -s user fugue -- fugue mcp",
        hooks: &[".claude/settings.json"],
    },
    AgentSetup {
        command: "codex",
        servers: &[".codex/config.toml"],
        register: "codex mcp add fugue -- fugue mcp",
        hooks: &[".codex/hooks.json"],
    },
    AgentSetup {
        command: "gemini",
        servers: &[".gemini/settings.json"],
        register: "gemini mcp add -s user fugue fugue mcp",
        hooks: &[".gemini/settings.json"],
    },
    AgentSetup {
        command: "opencode",
        servers: &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
        register: "add `\"fugue\": {\"type\": \"local\", \"command\": [\"fugue\", \"mcp\"]}` under \"mcp\" in \
                   ~/.config/opencode/opencode.json",
        hooks: &[],
    },
];

pub(super) fn checks() -> Vec<Check> {
    let (path, home) = (env::var_os("PATH").unwrap_or_default(), env::var_os("HOME").unwrap_or_default());
    let installed =
        |setup: &&AgentSetup| env::split_paths(&path).any(|dir| dir.join(setup.command).is_file());
    AGENTS.iter().filter(installed).map(|setup| setup.check(Path::new(&home))).collect()
}

impl AgentSetup {
    fn check(&self, home: &Path) -> Check {
        let registered = contains(home, self.servers, "fugue");
        let hooked = self.hooks.is_empty() || contains(home, self.hooks, "fugue hook");
        match (registered, hooked) {
            (true, true) => Check::good(self.command, "fugue is registered"),
            (false, _) => {
                Check::note(self.command, "fugue is not registered as an MCP server", self.register)
            }
            (true, false) => Check::note(
                self.command,
                "fugue's hooks are not set up; the agent sees messages only when it asks for them",
                format!(
                    "run `fugue hook {} --settings` and merge its output into ~/{}",
                    self.command, self.hooks[0]
                ),
            ),
        }
    }
}

/// Whether one of the files below the home directory contains a word.
fn contains(home: &Path, files: &[&str], word: &str) -> bool {
    let path = |file: &&str| -> PathBuf { home.join(file) };
    files.iter().map(path).any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_set_up_once_its_files_name_fugue_and_its_hooks() {
        let home = tempfile::tempdir().expect("a directory");
        let claude = &AGENTS[0];
        assert_eq!(claude.check(home.path()).remedy.as_deref(), Some(claude.register));
        fs::write(home.path().join(".claude.json"), r#"{"mcpServers":{"fugue":{}}}"#).expect("written");
        assert!(claude.check(home.path()).finding.contains("hooks"));
        fs::create_dir(home.path().join(".claude")).expect("a directory");
        fs::write(home.path().join(".claude/settings.json"), r#""fugue hook claude""#).expect("written");
        assert_eq!(claude.check(home.path()).remedy, None);
    }
}
