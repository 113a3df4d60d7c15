//! How an agent is set up for fugue: its files and what belongs into them, the settings that can get in the way, and fugue's
//! plugin for it. The files are read and written elsewhere.

mod entries;
mod off_switch;

use std::path::{Path, PathBuf};

pub use entries::{
    FileFormat, SetupEntry, SetupFile, is_server, program_of, runs_fugue, shell_word, words_of,
};
pub(crate) use entries::{SMALL_LIST, hook_entries, json_file};
pub(crate) use off_switch::{
    HOOKS_DISABLED, SERVER_DISABLED, denies_fugue, is_false, is_true, leaves_fugue_out,
    leaves_fugue_out_if_any, lists_every_tool, lists_fugue, switch,
};

use serde_json::Value;

use crate::known_agent::Environment;

/// How an agent is set up.
#[derive(Debug)]
pub struct AgentSetup {
    /// The place of fugue's MCP server in its settings.
    pub server: [&'static str; 2],
    /// Its files and what belongs into them, for a fugue that runs as this command.
    pub files: fn(&Environment<'_>, &str) -> Vec<SetupFile>,
    /// What the user still has to do afterwards.
    pub next_steps: &'static [&'static str],
    /// The files with its settings.
    pub settings: SettingsFiles,
    /// Settings with which it ignores what fugue adds.
    pub off_switches: &'static [OffSwitch],
    /// Names that fugue's server, its plugin and its hooks have in lists of servers, tools and hooks, beside `fugue`.
    pub names: &'static [&'static str],
    /// The names of the tool `fugue_whoami`. A pattern that matches one of them is about all tools.
    pub tool_names: &'static [&'static str],
    /// A line for people about its command that adds the server at `{url}`, which wants `{header}`, if it has one.
    pub http_server: Option<&'static str>,
    /// fugue's plugin for it, which it installs itself.
    pub plugin: Option<AgentPlugin>,
}

/// What a setting says about fugue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// It allows it.
    On,
    /// It turns it off.
    Off,
}

/// A setting that can turn something off.
#[derive(Debug)]
pub struct OffSwitch {
    /// Its place in the settings.
    pub path: &'static [&'static str],
    /// What a value says about fugue; `None` if nothing.
    pub read: fn(&Value) -> Option<Switch>,
    /// What is turned off, as a sentence.
    pub what: &'static str,
}

/// Where an agent keeps its settings. Those of the administrator overrule those of a project, and those overrule the user's.
#[derive(Debug)]
pub struct SettingsFiles {
    /// Their format.
    pub format: FileFormat,
    /// Those of the administrator.
    pub managed: &'static [&'static str],
    /// Those of a project, in its directories.
    pub project: &'static [&'static str],
    /// Where it keeps something for the project in a directory, in a file of the user.
    pub project_entry: fn(&Environment<'_>, &Path) -> Option<ProjectEntry>,
    /// Those of the user.
    pub user: fn(&Environment<'_>) -> Vec<PathBuf>,
}

/// The place of what an agent keeps for a project.
#[derive(Debug)]
pub struct ProjectEntry {
    /// The file of the user.
    pub file: PathBuf,
    /// The place in it.
    pub path: [String; 2],
}

/// fugue's plugin for an agent, which the agent's own commands install and remove.
#[derive(Debug)]
pub struct AgentPlugin {
    /// What the agent calls it.
    pub noun: &'static str,
    /// Its files, which run fugue by its name.
    pub files: &'static [(&'static str, &'static str)],
    /// The arguments of the commands that install it; `{}` is its directory.
    pub install: &'static [&'static [&'static str]],
    /// The arguments of the commands that remove it.
    pub remove: &'static [&'static [&'static str]],
    /// The file of the user that these commands rewrite.
    pub rewritten: Option<fn(&Environment<'_>) -> PathBuf>,
    /// How to tell that it is installed.
    pub trace: PluginTrace,
}

/// What an agent has if a plugin is installed.
#[derive(Debug)]
pub enum PluginTrace {
    /// A directory.
    Directory(fn(&Environment<'_>) -> PathBuf),
    /// A setting that is true: the file and the place in it.
    Setting(fn(&Environment<'_>) -> PathBuf, &'static [&'static str]),
}

/// The files of a plugin in the directory `plugins`, with their texts.
macro_rules! plugin_files {
    ($directory:literal: $($file:literal),*) => {
        &[$(($file, include_str!(concat!("../../plugins/", $directory, "/", $file)))),*]
    };
}
pub(crate) use plugin_files;
