//! tmux's key bindings. A person's are settings of fugue, and are written to `config.toml`.

use fugue_tui::ListedKey;

use super::clients;
use super::flags::ShimFlags;
use super::shim::{Outcome, Shim, Speaker};
use crate::attach::ALIASES;
use crate::config_edit;
use crate::tmux_settings;

/// `bind-key`
pub(super) fn bind(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    change_keys(shim, given, tmux_settings::bind)
}

/// `unbind-key`
pub(super) fn unbind(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    change_keys(shim, given, tmux_settings::unbind)
}

/// Changes a person's keys. A program's bindings have no effect: they are tmux's, and the keys are the person's.
fn change_keys(
    shim: &Shim,
    given: &ShimFlags,
    entries: fn(&[String]) -> Result<Vec<config_edit::ConfigEdit>, String>,
) -> Outcome {
    if shim.speaker == Speaker::Program {
        return Ok(String::new());
    }
    let entries = entries(&given.words())?;
    config_edit::set(&shim.paths.config, &entries)?;
    let lines = entries.iter().map(|entry| format!("{} in {}", entry.line(), shim.paths.config.display()));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// `list-keys`
pub(super) fn list_keys(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    if shim.at.is_some() && given.operands.is_empty() && !given.has('N') {
        return clients::in_client(shim, "help");
    }
    let wanted = given.operands.first().map(String::as_str);
    let table = given.value('T').unwrap_or_default();
    let is_listed = |key: &ListedKey| match table {
        // With descriptions, tmux lists the keys of copy mode only on request.
        "" => !given.has('N') || !key.table.starts_with("copy-mode"),
        table => table == key.table,
    };
    let keys = fugue_tui::key_list(&shim.paths.config, &ALIASES).into_iter();
    let keys = keys.filter(|key| is_listed(key) && wanted.is_none_or(|wanted| wanted == key.key));
    let lines = keys.map(|ListedKey { table, key, command, about, repeats }| match given.has('N') {
        true => format!("{}{key:<12} {about}", given.value('P').unwrap_or_default()),
        false => {
            let repeat = if repeats { "-r" } else { "  " };
            format!("bind-key {repeat} -T {table:<12} {key:<12} {command}")
        }
    });
    let most = if given.has('1') { 1 } else { usize::MAX };
    Ok(lines.take(most).collect::<Vec<_>>().join("\n"))
}
