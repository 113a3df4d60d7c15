//! Whether an agent is set up: a line for `fugue doctor` and `fugue setup --check`.

use super::agents::{Agent, Home};
use super::{change, plugin};
use crate::doctor::check::Check;

/// Checks an agent that is installed.
pub(super) fn check(agent: &Agent, home: &Home) -> Check {
    let remedy = format!("fugue setup {}", agent.name);
    if let Some((why, path)) = obstacle(agent, home) {
        return Check::note(agent.name, format!("{why} in {path}"), "remove this setting");
    }
    if let Some(name) = plugin::installed(agent, home) {
        return Check::good(agent.name, format!("fugue is set up ({name})"));
    }
    match missing(agent, home) {
        Ok(missing) if missing.is_empty() => Check::good(agent.name, "fugue is set up"),
        Ok(missing) => Check::note(agent.name, format!("missing: {}", missing.join(", ")), remedy),
        Err(why) => Check::problem(agent.name, why, format!("fix the file, then run `{remedy}`")),
    }
}

/// Returns the first setting that keeps fugue from working, and its file. A file that cannot be read is reported elsewhere.
fn obstacle(agent: &Agent, home: &Home) -> Option<(&'static str, String)> {
    agent.files(home, &home.fugue_command()).iter().find_map(|file| {
        let text = change::read(&file.path).ok()??;
        let why = file.contents.iter().find_map(|contents| contents.obstacle(&text))?;
        Some((why, file.path.display().to_string()))
    })
}

/// Whether all of an agent's files contain what belongs into them.
pub(super) fn is_complete(agent: &Agent, home: &Home) -> bool {
    missing(agent, home).is_ok_and(|missing| missing.is_empty())
}

/// Says what an agent's files lack, and where.
fn missing(agent: &Agent, home: &Home) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for file in agent.files(home, &home.fugue_command()) {
        let text = change::read(&file.path)?.unwrap_or_default();
        let missing = file.missing(&text)?;
        all.extend(missing.into_iter().map(|what| format!("{what} in {}", file.path.display())));
    }
    Ok(all)
}
