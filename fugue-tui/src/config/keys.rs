//! `[keys]` and `[copy_keys]`: whether a binding's command or action exists, and the binding itself.

use fugue_config::{ConfigEntry, KeyBinding};
use fugue_protocol::refusal::nearest;
use fugue_protocol::wording::uncapitalized;
use fugue_screen::keys::Key;

use super::Aliases;
use crate::command;
use crate::copy_mode::action_table::{ACTS, Act};
use crate::copy_mode::key_tables::CopyKeys;
use crate::keys::bindings::{Binding, Keys};

/// Binds a key to a command, or removes its binding if the command is empty.
pub(super) fn bind(
    keys: &mut Keys,
    entry: &ConfigEntry<KeyBinding>,
    aliases: Aliases<'_>,
) -> Result<(), String> {
    let bound = &entry.value;
    let mistake = |why: String| format!("\"{}\": {}", entry.name, uncapitalized(&why));
    command::check(&bound.command, aliases).map_err(mistake)?;
    let about = if bound.about.is_empty() { &bound.command } else { &bound.about };
    keys.bind(Binding {
        key: bound.key,
        table: bound.table.clone(),
        command: bound.command.clone().into(),
        repeats: bound.repeats,
        about: about.clone().into(),
    });
    Ok(())
}

/// Binds a key of copy mode to an action, or removes its binding if the action is empty.
pub(super) fn bind_copy_key(keys: &mut CopyKeys, entry: &ConfigEntry<(Key, String)>) -> Result<(), String> {
    let (key, name) = &entry.value;
    let act = match name.as_str() {
        "" => None,
        name => Some(Act::named(name).ok_or_else(|| unknown_action(&entry.name, name))?),
    };
    keys.bound.push((*key, act));
    Ok(())
}

fn unknown_action(key: &str, name: &str) -> String {
    let near = nearest(name, ACTS.iter().map(|(known, ..)| *known));
    let near = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    format!("\"{key}\": copy mode has no action \"{name}\"{near}")
}
