//! The agents that fugue can set up, a row each: their commands, their files, and what belongs into them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::config_file::FileContents;
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
    pub(super) contents: Vec<FileContents>,
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
    let server = json!({ "type": "stdio", "command": command, "args": ["mcp"], "env": {} });
    vec![
        file(main.join(".claude.json"), vec![FileContents::Server { path: ["mcpServers", "fugue"], server }]),
        file(directory.join("settings.json"), vec![hooks("claude", command)]),
    ]
}

fn codex(home: &Home, command: &str) -> Vec<ConfigFile> {
    let directory = home.directory("CODEX_HOME", ".codex");
    vec![
        file(
            directory.join("config.toml"),
            vec![FileContents::CodexServer { command: command.into() }, FileContents::CodexFeature],
        ),
        file(directory.join("hooks.json"), vec![hooks("codex", command)]),
    ]
}

fn gemini(home: &Home, command: &str) -> Vec<ConfigFile> {
    let directory = home.gemini_directory();
    let server = json!({ "command": command, "args": ["mcp"] });
    let server = FileContents::Server { path: ["mcpServers", "fugue"], server };
    vec![file(directory.join("settings.json"), vec![server, hooks("gemini", command)])]
}

/// OpenCode adds this to a file that lacks it.
const OPENCODE_TEMPLATE: &str = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n";

fn opencode(home: &Home, command: &str) -> Vec<ConfigFile> {
    let directory = home.directory("XDG_CONFIG_HOME", ".config").join("opencode");
    // OpenCode reads all of them; a user who has one should not get a second.
    let names = ["opencode.jsonc", "opencode.json", "config.json"].map(|name| directory.join(name));
    let path = names.iter().find(|path| path.is_file()).unwrap_or(&names[1]).clone();
    let server = json!({ "type": "local", "command": [command, "mcp"], "enabled": true });
    let contents = vec![FileContents::Server { path: ["mcp", "fugue"], server }];
    let plugin = vec![FileContents::Plugin { text: hook::opencode_plugin(command) }];
    vec![
        ConfigFile { path, contents, template: OPENCODE_TEMPLATE },
        file(directory.join("plugins/fugue.js"), plugin),
    ]
}

fn file(path: PathBuf, contents: Vec<FileContents>) -> ConfigFile {
    ConfigFile { path, contents, template: "" }
}

pub(super) fn hooks(agent: &'static str, command: &str) -> FileContents {
    let Value::Object(events) = hook::settings(agent, &shell_word(command))["hooks"].take() else {
        return FileContents::Hooks { agent, events: Vec::new() };
    };
    let events = events.into_iter().map(|(event, mut groups)| (event, groups[0].take()));
    FileContents::Hooks { agent, events: events.collect() }
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
    /// Says what the file lacks.
    pub(super) fn missing(&self, text: &str) -> Result<Vec<&'static str>, String> {
        let missing = self.contents.iter().map(|contents| contents.missing(text));
        let missing: Result<Vec<_>, _> = missing.collect();
        missing.map(|missing| missing.into_iter().flatten().collect()).map_err(|why| self.failed(&why))
    }

    /// Whether the file contains exactly what belongs into it.
    pub(super) fn is_current(&self, text: &str) -> Result<bool, String> {
        let mut current = self.contents.iter().map(|contents| contents.is_current(text));
        let current = current.try_fold(true, |all, one| Ok(all && one?));
        current.map_err(|why: String| self.failed(&why))
    }

    pub(super) fn add(&self, text: &str) -> Result<String, String> {
        let added = self.contents.iter().try_fold(text.to_owned(), |text, contents| contents.add(&text));
        added.map_err(|why| self.failed(&why))
    }

    pub(super) fn remove(&self, text: &str, before: Option<&str>) -> Result<String, String> {
        // Last in, first out: what was added last is removed first.
        let mut contents = self.contents.iter().rev();
        let removed = contents.try_fold(text.to_owned(), |text, contents| contents.remove(&text, before));
        removed.map_err(|why| self.failed(&why))
    }

    fn failed(&self, why: &str) -> String {
        format!("Cannot use {}: {why}", self.path.display())
    }
}
