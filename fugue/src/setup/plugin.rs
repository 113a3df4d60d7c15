//! fugue's plugins that agents install with their own commands.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ArgMatches;
use fugue_agents::KnownAgent;
use fugue_agents::setup::{AgentPlugin, FileFormat, PluginTrace, shell_word};
use serde_json::Value;

use super::change::TextChange;
use super::document::{self, at};
use super::home::Home;
use super::record::{Record, Records};
use super::{change, check, confirm};
use crate::file_replacement::overwrite;

/// A plugin, and the agent for which it is.
#[derive(Clone, Copy)]
struct InstallablePlugin {
    agent: &'static KnownAgent,
    plugin: &'static AgentPlugin,
}

/// Returns all plugins.
fn plugins() -> impl Iterator<Item = InstallablePlugin> {
    KnownAgent::all()
        .iter()
        .filter_map(|agent| Some(InstallablePlugin { agent, plugin: agent.setup.plugin.as_ref()? }))
}

/// Returns what the agents call their plugins.
pub(super) fn nouns() -> Vec<String> {
    plugins().map(|plugin| format!("{} ({})", plugin.plugin.noun, plugin.agent.name)).collect()
}

/// Returns what an agent calls fugue's plugin, if it is installed.
pub(super) fn installed(agent: &KnownAgent, home: &Home) -> Option<&'static str> {
    let plugin = plugins().find(|plugin| plugin.agent.name == agent.name)?;
    plugin.is_installed(home).then_some(plugin.plugin.noun)
}

/// Installs the plugins of agents, or removes them.
pub(super) fn run(
    agents: &[&KnownAgent],
    home: &Home,
    records: &Records,
    args: &ArgMatches,
) -> Result<(), String> {
    let is_chosen = |plugin: &InstallablePlugin| agents.iter().any(|agent| agent.name == plugin.agent.name);
    let chosen: Vec<_> = plugins().filter(is_chosen).collect();
    if chosen.is_empty() {
        let names: Vec<_> = plugins().map(|plugin| plugin.agent.name).collect();
        return Err(format!("Only {} have plugins\nhint: omit --plugin", names.join(" and ")));
    }
    let undo = args.get_flag("undo");
    // Both together would register everything twice.
    if let Some(agent) = agents.iter().find(|agent| !undo && check::is_complete(agent, home)) {
        let name = agent.name;
        return Err(format!(
            "{name} is already set up without the plugin\nhint: run `fugue setup {name} --undo` first"
        ));
    }
    let wanted: Vec<_> = chosen.into_iter().filter(|plugin| plugin.is_installed(home) == undo).collect();
    for plugin in &wanted {
        plugin.commands(home, undo).iter().for_each(|words| {
            let _ = writeln!(std::io::stdout(), "$ {} {}", plugin.agent.name, words.join(" "));
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

impl InstallablePlugin {
    fn is_installed(&self, home: &Home) -> bool {
        match self.plugin.trace {
            PluginTrace::Directory(path) => path(&home.environment()).is_dir(),
            PluginTrace::Setting(file, place) => {
                let text = change::read(&file(&home.environment())).ok().flatten().unwrap_or_default();
                let settings = document::values(FileFormat::Json, &text).unwrap_or_default();
                at(&settings, place).is_some_and(|enabled| *enabled == true)
            }
        }
    }

    /// The directory with the files of the plugin.
    fn directory(&self, home: &Home) -> PathBuf {
        home.environment()
            .directory("XDG_DATA_HOME", ".local/share")
            .join("fugue/plugins")
            .join(self.agent.name)
    }

    fn commands(&self, home: &Home, undo: bool) -> Vec<Vec<String>> {
        let directory = self.directory(home).display().to_string();
        let commands = if undo { self.plugin.remove } else { self.plugin.install };
        let filled = |words: &&[&str]| words.iter().map(|word| word.replace("{}", &directory)).collect();
        commands.iter().map(filled).collect()
    }

    fn run(&self, home: &Home, records: &Records, undo: bool) -> Result<(), String> {
        if !undo {
            self.write(&self.directory(home), &home.fugue_command())?;
        }
        let commands = self.commands(home, undo);
        let call = || commands.iter().try_for_each(|words| self.call(words));
        match self.plugin.rewritten.map(|file| file(&home.environment())) {
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
        self.plugin.files.iter().try_for_each(|(name, text)| {
            let path = directory.join(name);
            let text = if command == "fugue" { (*text).to_owned() } else { with_command(text, command) };
            overwrite(&path, &text).map_err(|why| format!("Cannot write {}: {why}", path.display()))
        })
    }

    /// Runs one of the agent's own commands, whose output the user sees.
    fn call(&self, words: &[String]) -> Result<(), String> {
        let status = Command::new(self.agent.name).args(words).stdin(Stdio::null()).status();
        let line = format!("{} {}", self.agent.name, words.join(" "));
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
        let change = TextChange { path: file.into(), before: change::read(file)?, after: record.before };
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
    use fugue_agents::HookKind;

    use super::*;

    impl InstallablePlugin {
        fn file(&self, name: &str) -> &'static str {
            let file = self.plugin.files.iter().find(|(file, _)| *file == name);
            file.expect("a file of the plugin").1
        }

        fn of(agent: &str) -> Self {
            plugins().find(|plugin| plugin.agent.name == agent).expect("a plugin")
        }
    }

    /// Checks a generated file of a plugin; with `FUGUE_RENEW` set, writes it.
    fn check_generated(plugin: &InstallablePlugin, name: &str, text: &str) {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins").join(plugin.agent.name);
        let path = directory.join(name);
        if std::env::var_os("FUGUE_RENEW").is_some() {
            fs::write(&path, text).expect("written");
        }
        let written = fs::read_to_string(&path).expect("a file");
        assert_eq!(written, text, "out of date: run this test with FUGUE_RENEW=1");
    }

    #[test]
    fn the_plugins_run_the_hooks_that_fugue_answers() {
        for plugin in plugins() {
            let HookKind::Events(hooks) = &plugin.agent.hooks else { continue };
            let hooks = hooks.settings(plugin.agent.name, "fugue");
            check_generated(&plugin, "hooks/hooks.json", &format!("{hooks:#}\n"));
        }
    }

    #[test]
    fn the_plugins_have_the_version_of_fugue() {
        for InstallablePlugin { agent, plugin } in plugins() {
            let (_, manifest) = plugin.files[0];
            let manifest: Value = serde_json::from_str(manifest).expect("JSON");
            assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "{}", agent.name);
        }
    }

    #[test]
    fn the_plugins_explain_fugue_as_its_guide_does() {
        let claude = InstallablePlugin::of("claude");
        let (head, _) =
            claude.file("skills/fugue/SKILL.md").split_once("## Working in fugue").expect("the guide");
        check_generated(&claude, "skills/fugue/SKILL.md", &format!("{head}{}", fugue_mcp::GUIDE));
        check_generated(&InstallablePlugin::of("gemini"), "GEMINI.md", fugue_mcp::GUIDE);
    }

    #[test]
    fn a_fugue_that_is_not_on_the_path_is_run_by_its_path() {
        let claude = InstallablePlugin::of("claude");
        let hooks = with_command(claude.file("hooks/hooks.json"), "/a b/fugue");
        assert!(hooks.contains("\"'/a b/fugue' hook claude\""), "{hooks}");
        assert!(with_command(claude.file(".mcp.json"), "/a b/fugue").contains("\"/a b/fugue\""));
    }
}
