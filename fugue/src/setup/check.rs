//! Whether an agent is set up, and whether anything keeps fugue from working in it: lines for `fugue doctor` and
//! `fugue setup --check`.

use std::path::Path;

use fugue_agents::KnownAgent;
use fugue_agents::setup::{SetupEntry, SetupFile, program_of};

use super::document::{self, at};
use super::entry::{self, hook_programs};
use super::home::Home;
use super::{change, off_switches, plugin};
use crate::doctor::check::Check;

/// Checks an agent that is installed, as it is when it is run in this directory.
pub(super) fn checks(agent: &KnownAgent, home: &Home, directory: &Path) -> Vec<Check> {
    let remedy = format!("fugue setup {}", agent.name);
    let plugin = plugin::installed(agent, home);
    let mut checks = Vec::new();
    match missing(agent, home) {
        _ if plugin.is_some() => {}
        Ok(missing) if missing.is_empty() => {}
        Ok(missing) => {
            checks.push(Check::note(agent.name, format!("missing: {}", missing.join(", ")), remedy.as_str()));
        }
        Err(why) => {
            checks.push(Check::problem(agent.name, why, format!("fix the file, then run `{remedy}`")));
        }
    }
    let obstacles = off_switches::obstacles(agent, home, directory).into_iter();
    checks.extend(obstacles.map(|why| Check::note(agent.name, why, "remove this setting")));
    let remedy = format!("{remedy}, or correct the entry if you wrote it");
    checks.extend(
        other_programs(agent, home).into_iter().map(|why| Check::note(agent.name, why, remedy.as_str())),
    );
    if checks.is_empty() {
        let how = plugin.map(|name| format!(" ({name})")).unwrap_or_default();
        checks.push(Check::good(agent.name, format!("fugue is set up{how}")));
    }
    checks
}

/// Whether all of an agent's files contain what belongs into them.
pub(super) fn is_complete(agent: &KnownAgent, home: &Home) -> bool {
    missing(agent, home).is_ok_and(|missing| missing.is_empty())
}

/// Says what an agent's files lack, and where.
fn missing(agent: &KnownAgent, home: &Home) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for file in home.files(agent, &home.fugue_command()) {
        let text = change::read(&file.path)?.unwrap_or_default();
        let (hooks, others): (Vec<_>, Vec<_>) =
            entry::missing(&file, &text)?.into_iter().partition(|missing| missing.is_hook());
        let mut what: Vec<_> = others.into_iter().map(|missing| missing.what).collect();
        let known = file.entries.iter().filter(|entry| matches!(entry, SetupEntry::Hook { .. })).count();
        match hooks.len() {
            all if all > 0 && all == known => what.push("the hooks".into()),
            _ => what.extend(hooks.into_iter().map(|missing| missing.what)),
        }
        all.extend(what.into_iter().map(|what| format!("{what} in {}", file.path.display())));
    }
    Ok(all)
}

/// Says which entries run a program that does not exist, or another fugue than this one.
fn other_programs(agent: &KnownAgent, home: &Home) -> Vec<String> {
    let files = home.files(agent, &home.fugue_command());
    let mut found: Vec<String> = Vec::new();
    for file in &files {
        let reasons = programs(file).into_iter().filter_map(|(what, program)| {
            Some(format!("{what} in {} {}", file.path.display(), unlike_this(&program, home)?))
        });
        // All hooks usually run the same program.
        reasons.for_each(|reason| {
            if !found.contains(&reason) {
                found.push(reason);
            }
        });
        found.extend(other_plugin(file));
    }
    found
}

/// Returns the programs that the entries of a file run, and what runs them.
fn programs(file: &SetupFile) -> Vec<(&'static str, String)> {
    let text = change::read(&file.path).ok().flatten().unwrap_or_default();
    let Ok(values) = document::values(file.format, &text) else { return Vec::new() };
    let programs = file.entries.iter().flat_map(|entry| match entry {
        SetupEntry::Server { path, .. } => {
            let program = at(&values, path).and_then(program_of);
            program.map(|program| ("the MCP server", program)).into_iter().collect()
        }
        SetupEntry::Hook { agent, event, .. } => {
            let programs = hook_programs(&values, agent, event).into_iter();
            programs.map(|program| ("a hook", program.trim_matches('\'').to_owned())).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    });
    programs.collect()
}

/// Says how a program differs from this one; `None` if it does not.
fn unlike_this(program: &str, home: &Home) -> Option<String> {
    let path = if program.contains('/') { Some(program.into()) } else { home.find_command(program) };
    let Some(path) = path else { return Some(format!("runs `{program}`, which is not on PATH")) };
    let Ok(found) = path.canonicalize() else {
        return Some(format!("runs {}, which does not exist", path.display()));
    };
    let this = std::env::current_exe().and_then(|this| this.canonicalize()).ok()?;
    (found != this)
        .then(|| format!("runs another fugue, {} (this one is {})", path.display(), this.display()))
}

/// Says that a plugin is not the one that this fugue writes.
fn other_plugin(file: &SetupFile) -> Option<String> {
    let text = change::read(&file.path).ok()??;
    let values = document::values(file.format, &text).ok()?;
    let differs = |entry: &SetupEntry| matches!(entry, SetupEntry::Plugin { text: own } if entry::is_in(entry, &values) && *own != text);
    file.entries
        .iter()
        .any(differs)
        .then(|| format!("the plugin in {} is from another version, or was edited", file.path.display()))
}
