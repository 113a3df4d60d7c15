//! fugue's plugin for Claude Code and its extension for Gemini CLI, which these agents install with their own commands.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ArgMatches;
use serde_json::Value;

use super::agents::{Agent, Home, shell_word};
use super::change::FileChange;
use super::document::{FileFormat, at};
use super::record::{Record, Records};
use super::{change, check, confirm};
use crate::file_replacement::overwrite;

/// A plugin: its files, and the commands that install and remove it.
struct Plugin {
    agent: &'static str,
    /// What the agent calls it.
    noun: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The commands that install it; `{}` is its directory.
    install: &'static [&'static [&'static str]],
    remove: &'static [&'static [&'static str]],
    /// The file of the user that these commands rewrite.
    rewritten: fn(&Home) -> Option<PathBuf>,
    /// Whether it is installed.
    is_installed: fn(&Home) -> bool,
}

macro_rules! files {
    ($directory:literal: $($file:literal),*) => {
        &[$(($file, include_str!(concat!("../../../plugins/", $directory, "/", $file)))),*]
    };
}

const PLUGINS: [Plugin; 2] = [
    Plugin {
        agent: "claude",
        noun: "plugin",
        files: files!("claude": ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", ".mcp.json",
                      "hooks/hooks.json", "skills/fugue/SKILL.md"),
        install: &[&["plugin", "marketplace", "add", "{}"], &["plugin", "install", "fugue@fugue"]],
        remove: &[&["plugin", "uninstall", "fugue@fugue"], &["plugin", "marketplace", "remove", "fugue"]],
        rewritten: |home| Some(home.claude_directory().join("settings.json")),
        is_installed: claude_has_it,
    },
    Plugin {
        agent: "gemini",
        noun: "extension",
        files: files!("gemini": "gemini-extension.json", "GEMINI.md", "hooks/hooks.json"),
        install: &[&["extensions", "link", "--consent", "{}"]],
        remove: &[&["extensions", "uninstall", "fugue"]],
        rewritten: |_| None,
        is_installed: |home| home.gemini_directory().join("extensions/fugue").is_dir(),
    },
];

fn claude_has_it(home: &Home) -> bool {
    let text = change::read(&home.claude_directory().join("settings.json"));
    let text = text.ok().flatten().unwrap_or_default();
    let settings = FileFormat::Json.values(&text).unwrap_or_default();
    at(&settings, &["enabledPlugins", "fugue@fugue"]).is_some_and(|enabled| *enabled == true)
}

/// Returns what an agent calls fugue's plugin, if it is installed.
pub(super) fn installed(agent: &Agent, home: &Home) -> Option<&'static str> {
    let plugin = PLUGINS.iter().find(|plugin| plugin.agent == agent.name)?;
    (plugin.is_installed)(home).then_some(plugin.noun)
}

/// Installs the plugins of agents, or removes them.
pub(super) fn run(
    agents: &[&Agent],
    home: &Home,
    records: &Records,
    args: &ArgMatches,
) -> Result<(), String> {
    let plugins: Vec<_> =
        PLUGINS.iter().filter(|plugin| agents.iter().any(|agent| agent.name == plugin.agent)).collect();
    if plugins.is_empty() {
        return Err("Only claude and gemini have plugins\nhint: omit --plugin".into());
    }
    let undo = args.get_flag("undo");
    // Both together would register everything twice.
    if let Some(agent) = agents.iter().find(|agent| !undo && check::is_complete(agent, home)) {
        let name = agent.name;
        return Err(format!(
            "{name} is already set up without the plugin\nhint: run `fugue setup {name} --undo` first"
        ));
    }
    let wanted: Vec<_> = plugins.into_iter().filter(|plugin| (plugin.is_installed)(home) == undo).collect();
    for plugin in &wanted {
        plugin.commands(home, undo).iter().for_each(|words| {
            let _ = writeln!(std::io::stdout(), "$ {} {}", plugin.agent, words.join(" "));
        });
    }
    if wanted.is_empty() {
        let _ = writeln!(std::io::stdout(), "Nothing to do");
    }
    if args.get_flag("dry-run") || wanted.is_empty() || !confirm(args, "Run these commands?", None)? {
        return Ok(());
    }
    wanted.iter().try_for_each(|plugin| plugin.run(home, records, undo))
}

impl Plugin {
    /// The directory with the files of the plugin.
    fn directory(&self, home: &Home) -> PathBuf {
        home.data_directory().join("fugue/plugins").join(self.agent)
    }

    fn commands(&self, home: &Home, undo: bool) -> Vec<Vec<String>> {
        let directory = self.directory(home).display().to_string();
        let commands = if undo { self.remove } else { self.install };
        let filled = |words: &&[&str]| words.iter().map(|word| word.replace("{}", &directory)).collect();
        commands.iter().map(filled).collect()
    }

    fn run(&self, home: &Home, records: &Records, undo: bool) -> Result<(), String> {
        if !undo {
            self.write(&self.directory(home), &home.fugue_command())?;
        }
        let commands = self.commands(home, undo);
        let call = || commands.iter().try_for_each(|words| self.call(words));
        match (self.rewritten)(home) {
            Some(file) if undo => restoring(&file, records, call)?,
            Some(file) => recording(&file, records, call)?,
            None => call()?,
        }
        if undo {
            let _ = fs::remove_dir_all(self.directory(home));
        }
        Ok(())
    }

    fn write(&self, directory: &Path, command: &str) -> Result<(), String> {
        self.files.iter().try_for_each(|(name, text)| {
            let path = directory.join(name);
            let text = if command == "fugue" { (*text).to_owned() } else { with_command(text, command) };
            overwrite(&path, &text).map_err(|why| format!("Cannot write {}: {why}", path.display()))
        })
    }

    /// Runs one of the agent's own commands, whose output the user sees.
    fn call(&self, words: &[String]) -> Result<(), String> {
        let status = Command::new(self.agent).args(words).stdin(Stdio::null()).status();
        let line = format!("{} {}", self.agent, words.join(" "));
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{line}` failed ({status})")),
            Err(why) => Err(format!("Cannot run `{line}`: {why}")),
        }
    }
}

/// The name under which the change to a file is recorded: apart from the one that setup itself makes to the same file.
fn record_name(file: &Path) -> PathBuf {
    file.with_extension("json (plugin)")
}

/// Runs commands that rewrite a file, and records what they did to it.
fn recording(file: &Path, records: &Records, run: impl Fn() -> Result<(), String>) -> Result<(), String> {
    let (before, created) = (change::read(file)?, change::missing_directories(file));
    run()?;
    let after = change::read(file)?.unwrap_or_default();
    records.put(&record_name(file), &Record::new(before, after, created))
}

/// Runs commands that undo what was recorded. They leave traces, so the file is restored if nobody else changed it.
fn restoring(file: &Path, records: &Records, run: impl Fn() -> Result<(), String>) -> Result<(), String> {
    let (record, current) = (records.get(&record_name(file))?, change::read(file)?);
    run()?;
    if let Some(record) = record.filter(|record| current.as_ref() == Some(&record.after)) {
        let change = FileChange { path: file.into(), before: change::read(file)?, after: record.before };
        change::apply(&[change])?;
        change::remove_empty(&record.created);
    }
    records.remove(&record_name(file));
    Ok(())
}

/// Returns a file that runs fugue as this command; the files in the tree run it by its name.
fn with_command(text: &str, command: &str) -> String {
    let Ok(mut value) = serde_json::from_str(text) else { return text.to_owned() };
    replace_command(&mut value, command);
    format!("{value:#}\n")
}

fn replace_command(value: &mut Value, command: &str) {
    match value {
        Value::Object(members) => members.iter_mut().for_each(|(key, value)| match value {
            Value::String(line) if key == "command" => {
                *line = match line.strip_prefix("fugue ") {
                    Some(rest) => format!("{} {rest}", shell_word(command)),
                    None => command.to_owned(),
                };
            }
            value => replace_command(value, command),
        }),
        Value::Array(elements) => elements.iter_mut().for_each(|value| replace_command(value, command)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a generated file of a plugin; with `FUGUE_RENEW` set, writes it.
    fn check_generated(plugin: &Plugin, name: &str, text: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins").join(plugin.agent).join(name);
        if std::env::var_os("FUGUE_RENEW").is_some() {
            fs::write(&path, text).expect("written");
        }
        let written = fs::read_to_string(&path).expect("a file");
        assert_eq!(written, text, "out of date: run this test with FUGUE_RENEW=1");
    }

    #[test]
    fn the_plugins_run_the_hooks_that_fugue_answers() {
        for plugin in &PLUGINS {
            let hooks = crate::hook::settings(plugin.agent, "fugue");
            check_generated(plugin, "hooks/hooks.json", &format!("{hooks:#}\n"));
        }
    }

    #[test]
    fn the_plugins_have_the_version_of_fugue() {
        for plugin in &PLUGINS {
            let (_, manifest) = plugin.files[0];
            let manifest: Value = serde_json::from_str(manifest).expect("JSON");
            assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "{}", plugin.agent);
        }
    }

    #[test]
    fn the_plugins_explain_fugue_as_its_guide_does() {
        let (_, skill) = PLUGINS[0].files[4];
        let (head, _) = skill.split_once("## Working in fugue").expect("the guide");
        check_generated(&PLUGINS[0], "skills/fugue/SKILL.md", &format!("{head}{}", fugue_mcp::GUIDE));
        check_generated(&PLUGINS[1], "GEMINI.md", fugue_mcp::GUIDE);
    }

    #[test]
    fn a_fugue_that_is_not_on_the_path_is_run_by_its_path() {
        let hooks = with_command(PLUGINS[0].files[3].1, "/a b/fugue");
        assert!(hooks.contains("\"'/a b/fugue' hook claude\""), "{hooks}");
        assert!(with_command(PLUGINS[0].files[2].1, "/a b/fugue").contains("\"/a b/fugue\""));
    }
}
