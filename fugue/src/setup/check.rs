//! Whether an agent is set up: a line for `fugue doctor` and `fugue setup --check`.

use super::agents::{Agent, Home};
use super::{change, plugin};
use crate::doctor::Check;

/// Checks an agent that is installed.
pub(super) fn check(agent: &Agent, home: &Home) -> Check {
    let remedy = format!("fugue setup {}", agent.name);
    if let Some(name) = plugin::installed(agent, home) {
        return Check::good(agent.name, format!("fugue is set up ({name})"));
    }
    match missing(agent, home) {
        Ok(missing) if missing.is_empty() => Check::good(agent.name, "fugue is set up"),
        Ok(missing) => Check::note(agent.name, format!("missing: {}", missing.join(", ")), remedy),
        Err(why) => Check::problem(agent.name, why, format!("fix the file, then run `{remedy}`")),
    }
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
