//! `[keys]`: `"prefix h" = "focus-pane --left"`, `"M-z" = "zoom-pane"`, and `""` takes a key away. `[copy_keys]`: the
//! same for the view back, with the names of what can be done there.

use fugue_protocol::refusal::nearest;
use fugue_screen::keys::Key;
use toml::de::{DeTable, DeValue};

use super::{Entry, Mistakes};
use crate::command;
use crate::copy_mode::actions::{ACTS, Act};
use crate::copy_mode::key_tables::CopyKeys;
use crate::keys::bindings::{Binding, Keys};

/// What a binding may say besides its command.
const FIELDS: [&str; 3] = ["run", "repeat", "about"];

pub(super) fn read(
    keys: &mut Keys,
    rows: &DeTable<'_>,
    aliases: &[(&str, &'static str)],
    mistakes: &mut Mistakes<'_>,
) {
    for entry in mistakes.entries(rows) {
        let (prefixed, name) = match entry.name.split_once(' ') {
            Some(("prefix", name)) => (true, name.trim()),
            _ => (false, entry.name),
        };
        match name.parse::<Key>() {
            Ok(key) => {
                if let Some(binding) = binding(key, prefixed, &entry, aliases, mistakes) {
                    keys.bind(binding);
                }
            }
            Err(why) => mistakes.add(entry.line, why),
        }
    }
}

fn binding(
    key: Key,
    prefixed: bool,
    entry: &Entry<'_>,
    aliases: &[(&str, &'static str)],
    mistakes: &mut Mistakes<'_>,
) -> Option<Binding> {
    let mut binding = Binding::new(key, prefixed);
    match entry.value {
        DeValue::String(text) => binding.command = text.to_string().into(),
        DeValue::Table(rows) => fields(&mut binding, entry, rows, mistakes)?,
        _ => {
            mistakes.add(entry.line, format!("`{}` is a command between quotes", entry.name));
            return None;
        }
    }
    if let Err(why) = command::check(&binding.command, aliases) {
        mistakes.add(entry.line, format!("`{}`: {why}", entry.name));
        return None;
    }
    if binding.about.is_empty() {
        binding.about = binding.command.clone();
    }
    Some(binding)
}

fn fields(
    binding: &mut Binding,
    entry: &Entry<'_>,
    rows: &DeTable<'_>,
    mistakes: &mut Mistakes<'_>,
) -> Option<()> {
    for field in mistakes.entries(rows) {
        match field.name {
            "run" => binding.command = mistakes.word(&field)?.to_owned().into(),
            "about" => binding.about = mistakes.word(&field)?.to_owned().into(),
            "repeat" => mistakes.switch(&field, &mut binding.repeats),
            _ => {
                mistakes.unknown(&field, &format!("`{}`", entry.name), FIELDS.into_iter());
                return None;
            }
        }
    }
    Some(())
}

pub(super) fn read_copy(keys: &mut CopyKeys, rows: &DeTable<'_>, mistakes: &mut Mistakes<'_>) {
    for entry in mistakes.entries(rows) {
        match entry.name.parse::<Key>() {
            Ok(key) => keys.bound.extend(act(&entry, mistakes).map(|act| (key, act))),
            Err(why) => mistakes.add(entry.line, why),
        }
    }
}

/// What a key is to do, or that it does nothing any more.
fn act(entry: &Entry<'_>, mistakes: &mut Mistakes<'_>) -> Option<Option<Act>> {
    let name = mistakes.word(entry)?;
    if name.is_empty() {
        return Some(None);
    }
    let act = Act::named(name);
    if act.is_none() {
        let near = nearest(name, ACTS.iter().map(|(known, ..)| *known));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        mistakes.add(entry.line, format!("`{}`: the view back cannot `{name}`{near}", entry.name));
    }
    act.map(Some)
}
