//! Reads a verb's arguments: other names of an argument are accepted, unknown ones are refused by name.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::info::VerbInfo;
use super::panes::{JoinPane, ResizePane};
use super::serde_errors;
use super::spec::VerbSpec;
use super::windows::{CreateWindow, ResizeWindow, SelectLayout};
use crate::refusal::{Refusal, nearest};

/// Other names of arguments, and the arguments they mean. Replies and early documents use `_id` for references.
const OTHER_NAMES: [(&str, &str); 4] =
    [("session_id", "session"), ("window_id", "window"), ("pane_id", "pane"), ("ack", "acknowledge")];

/// Arguments that only fugue's own clients give: no schema lists them.
const OF_CLIENTS: [(&str, &str); 8] = [
    (CreateWindow::NAME, "popup"),
    (ResizeWindow::NAME, "shown_by"),
    (SelectLayout::NAME, "tree"),
    (SelectLayout::NAME, "main"),
    (SelectLayout::NAME, "spread"),
    (ResizePane::NAME, "towards"),
    (JoinPane::NAME, "cells"),
    (JoinPane::NAME, "background"),
];

/// Reads the arguments of a verb.
pub(super) fn read<V: VerbSpec>(args: &str) -> Result<V, Refusal> {
    let fields = checked_fields(V::NAME, args)?;
    serde_errors::read(Value::Object(fields)).map_err(|why| bad_arguments(V::NAME, why))
}

/// The arguments under their own names, all of which the verb has. What does not depend on the verb's type is here, so
/// that it is compiled once.
fn checked_fields(verb: &'static str, args: &str) -> Result<Map<String, Value>, Refusal> {
    let fields = serde_json::from_str::<Map<String, Value>>(args)
        .map_err(|why| bad_arguments(verb, serde_errors::describe(&why.to_string())))?;
    let fields = with_canonical_names(verb, fields)?;
    let known = known(verb);
    let is_known = |name: &str| known.contains(name) || OF_CLIENTS.contains(&(verb, name));
    if let Some(name) = fields.keys().find(|name| !is_known(name)) {
        return Err(unknown_argument(verb, name, known));
    }
    // Some clients send null for an argument that they omit.
    Ok(fields.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

fn canonical(name: String) -> String {
    OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, argument)| (*argument).to_owned())
}

/// Gives every argument its own name. One that is given under two names is refused: nobody knows which is meant.
fn with_canonical_names(verb: &str, fields: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let mut named = Map::new();
    for (given, value) in fields {
        let name = canonical(given.clone());
        match named.get(&name) {
            Some(_) if value.is_null() => {}
            Some(before) if !before.is_null() => {
                let other = OTHER_NAMES.iter().find(|(_, argument)| *argument == name);
                let other = other.map_or(given.as_str(), |(other, _)| other);
                let why = format!("`{name}` and `{other}` are the same argument; give one");
                return Err(bad_arguments(verb, why));
            }
            _ => drop(named.insert(name, value)),
        }
    }
    Ok(named)
}

fn bad_arguments(verb: &str, why: String) -> Refusal {
    Refusal::BadArguments { verb: verb.to_owned(), why }
}

fn unknown_argument(verb: &str, name: &str, known: &BTreeSet<String>) -> Refusal {
    let near =
        nearest(name, known.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`?"));
    bad_arguments(verb, format!("unknown argument `{name}`{}", near.unwrap_or_default()))
}

/// The arguments of a verb: the properties of its schema, computed once per verb and kept.
fn known(verb: &'static str) -> &'static BTreeSet<String> {
    static KNOWN: Mutex<Vec<(&'static str, &'static BTreeSet<String>)>> = Mutex::new(Vec::new());
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, names)) = all.iter().find(|(known, _)| *known == verb) {
        return names;
    }
    let names: &'static BTreeSet<String> = Box::leak(Box::new(properties(verb)));
    all.push((verb, names));
    names
}

fn properties(verb: &str) -> BTreeSet<String> {
    let schema = VerbInfo::find(verb).map(|verb| (verb.arguments_schema)());
    let properties = schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.map(|map| map.keys().cloned().collect()).unwrap_or_default()
}
