//! The agents that fugue can set up, a row each: their commands, their files, and what belongs into them.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::document::FileFormat;
use super::entry::{Entry, MissingEntry};
use crate::hook;

/// An agent that fugue can set up.
pub(crate) struct Agent {
    /// Its name, which is also its command.
    pub(crate) name: &'static str,
    /// Its files and what belongs into them.
    files: fn(&Home, &str) -> Vec<ConfigFile>,
    /// What the user still has to do.
    pub(super) next_steps: &'static [&'static str],
}

/// One of an agent's files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) format: FileFormat,
    pub(super) entries: Vec<Entry>,
    /// What a new file starts with.
    pub(super) template: &'static str,
}

/// All of them.
pub(crate) const AGENTS: [Agent; 4] = [
    Agent { name: "claude", files: claude, next_steps: &[] },
    Agent {
        name: "codex",
        files: codex,
        next_steps: &[
            "Codex asks you to review new hooks: trust them when Codex starts, or in /hooks",
            "if its shared server is running, stop it with `codex app-server daemon stop`",
        ],
    },
    Agent { name: "gemini", files: gemini, next_steps: &[] },
    Agent { name: "opencode", files: opencode, next_steps: &[] },
];

/// Where the agents look for their files.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(super) directory: PathBuf,
    pub(super) variable: fn(&str) -> Option<PathBuf>,
    /// The directories of commands.
    pub(super) path: Vec<PathBuf>,
}

impl Home {
    /// The home of the user who runs this process; `None` without one.
    pub(crate) fn of_this_process() -> Option<Self> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        Some(Self { directory: variable("HOME")?, variable, path: std::env::split_paths(&path).collect() })
    }

    /// Returns the file that runs as this command.
    pub(super) fn find_command(&self, name: &str) -> Option<PathBuf> {
        self.path.iter().map(|directory| directory.join(name)).find(|path| path.is_file())
    }

    /// Returns the directory that a variable names, or else one below the home directory.
    fn directory(&self, variable: &str, default: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.directory.join(default))
    }

    /// Returns the directory of Claude Code's settings.
    pub(super) fn claude_directory(&self) -> PathBuf {
        self.directory("CLAUDE_CONFIG_DIR", ".claude")
    }

    /// Returns the directory of Codex's settings.
    pub(super) fn codex_directory(&self) -> PathBuf {
        self.directory("CODEX_HOME", ".codex")
    }

    /// Returns the directory of OpenCode's settings.
    pub(super) fn opencode_directory(&self) -> PathBuf {
        self.directory("XDG_CONFIG_HOME", ".config").join("opencode")
    }

    /// Returns the directory of Gemini CLI's settings.
    pub(super) fn gemini_directory(&self) -> PathBuf {
        self.directory("GEMINI_CLI_HOME", "").join(".gemini")
    }

    /// Returns the directory for what programs install for the user.
    pub(super) fn data_directory(&self) -> PathBuf {
        self.directory("XDG_DATA_HOME", ".local/share")
    }

    /// Returns how agents run fugue: by its name if that finds this very program, otherwise by its path.
    pub(crate) fn fugue_command(&self) -> String {
        let this = std::env::current_exe().unwrap_or_else(|_| "fugue".into());
        let same =
            |found: PathBuf| found.canonicalize().is_ok_and(|found| Some(found) == this.canonicalize().ok());
        if self.find_command("fugue").is_some_and(same) { "fugue".into() } else { this.display().to_string() }
    }
}

impl Agent {
    /// Whether it is installed.
    pub(crate) fn is_installed(&self, home: &Home) -> bool {
        home.find_command(self.name).is_some()
    }

    /// Returns its files, for a fugue that runs as `command`.
    pub(crate) fn files(&self, home: &Home, command: &str) -> Vec<ConfigFile> {
        (self.files)(home, command)
    }
}

fn claude(home: &Home, command: &str) -> Vec<ConfigFile> {
    let directory = home.claude_directory();
    let main = (home.variable)("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.directory.clone());
    let value = json!({ "type": "stdio", "command": command, "args": ["mcp"], "env": {} });
    let server = Entry::Server { path: ["mcpServers", "fugue"], value };
    vec![
        json_file(main.join(".claude.json"), vec![server]),
        json_file(directory.join("settings.json"), hooks("claude", command)),
    ]
}

/// The variables that Codex must pass on: they tell `fugue mcp` which pane it is in. Codex passes on none by itself.
const PANE_VARIABLES: [&str; 3] = ["FUGUE_PANE_ID", "FUGUE_PANE_KEY", "FUGUE_SOCKET"];

/// How long Codex lets a tool run, in seconds: a little more than the longest wait.
const TOOL_TIMEOUT: u32 = 120;

fn codex(home: &Home, command: &str) -> Vec<ConfigFile> {
    let directory = home.codex_directory();
    let value = json!({
        "command": command,
        "args": ["mcp"],
        "env_vars": PANE_VARIABLES,
        "tool_timeout_sec": TOOL_TIMEOUT,
    });
    // With it, Codex runs the MCP servers and hooks of all panes in one background server, where nobody can tell which
    // pane a call comes from.
    let shared = Entry::Setting { path: ["features", "daemon_auto_start"], value: false.into() };
    let entries = vec![Entry::Server { path: ["mcp_servers", "fugue"], value }, shared];
    vec![
        ConfigFile { path: directory.join("config.toml"), format: FileFormat::Toml, entries, template: "" },
        json_file(directory.join("hooks.json"), hooks("codex", command)),
    ]
}

/// The tools for agents that send every listed tool with every request; the others search for tools.
const FEWER_TOOLS: [&str; 2] = ["--tools", "small"];

fn gemini(home: &Home, command: &str) -> Vec<ConfigFile> {
    let [flag, tools] = FEWER_TOOLS;
    let value = json!({ "command": command, "args": ["mcp", flag, tools] });
    let mut entries = vec![Entry::Server { path: ["mcpServers", "fugue"], value }];
    entries.extend(hooks("gemini", command));
    vec![json_file(home.gemini_directory().join("settings.json"), entries)]
}

/// OpenCode adds this to a file that lacks it.
const OPENCODE_TEMPLATE: &str = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n";

fn opencode(home: &Home, command: &str) -> Vec<ConfigFile> {
    let directory = home.opencode_directory();
    // OpenCode reads all of them; a user who has one should not get a second.
    let names = ["opencode.jsonc", "opencode.json", "config.json"].map(|name| directory.join(name));
    let path = names.iter().find(|path| path.is_file()).unwrap_or(&names[1]).clone();
    let [flag, tools] = FEWER_TOOLS;
    let value = json!({ "type": "local", "command": [command, "mcp", flag, tools], "enabled": true });
    let server = json_file(path, vec![Entry::Server { path: ["mcp", "fugue"], value }]);
    let entries = vec![Entry::Plugin { text: hook::opencode_plugin(command) }];
    vec![
        ConfigFile { template: OPENCODE_TEMPLATE, ..server },
        ConfigFile { format: FileFormat::Whole, ..json_file(directory.join("plugins/fugue.js"), entries) },
    ]
}

fn json_file(path: PathBuf, entries: Vec<Entry>) -> ConfigFile {
    ConfigFile { path, format: FileFormat::Json, entries, template: "" }
}

pub(super) fn hooks(agent: &'static str, command: &str) -> Vec<Entry> {
    let settings = hook::settings(agent, &shell_word(command));
    let events = settings["hooks"].as_object().into_iter().flatten();
    events
        .map(|(event, groups)| Entry::Hook { agent, event: event.clone(), group: groups[0].clone() })
        .collect()
}

/// Quotes a path for a shell, if it needs quotes.
pub(super) fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(plain) { path.into() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// Whether a command is fugue, by name or path.
pub(super) fn runs_fugue(command: &str) -> bool {
    Path::new(command.trim_matches(['\'', '"'])).file_name().is_some_and(|name| name == "fugue")
}

impl ConfigFile {
    /// Returns what the file lacks.
    pub(super) fn missing(&self, text: &str) -> Result<Vec<MissingEntry>, String> {
        let missing = || {
            let values = self.format.values(text)?;
            let missing: Result<Vec<_>, String> =
                self.entries.iter().map(|entry| entry.missing(&values)).collect();
            Ok(missing?.into_iter().flatten().collect())
        };
        missing().map_err(|why| self.failed(why))
    }

    /// Adds what the file lacks.
    pub(super) fn add(&self, text: &str) -> Result<String, String> {
        let added = self
            .missing(text)?
            .iter()
            .try_fold(text.to_owned(), |text, missing| self.format.edit(&text, &missing.edit));
        added.map_err(|why| self.failed(why))
    }

    pub(super) fn failed(&self, why: String) -> String {
        format!("Cannot use {}: {why}", self.path.display())
    }
}
