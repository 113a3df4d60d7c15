//! Reads a verb's arguments: other names of an argument are accepted, unknown ones are refused by name.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

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

pub(super) fn read<V: VerbSpec>(args: &str) -> Result<V, Refusal> {
    let fields = serde_json::from_str::<Map<String, Value>>(args)
        .map_err(|why| bad_arguments::<V>(serde_errors::describe(&why.to_string())))?;
    let fields = with_canonical_names::<V>(fields)?;
    let known = known::<V>();
    let is_known = |name: &str| known.contains(name) || OF_CLIENTS.contains(&(V::NAME, name));
    if let Some(name) = fields.keys().find(|name| !is_known(name)) {
        return Err(unknown_argument::<V>(name, known));
    }
    // Some clients send null for an argument that they omit.
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_errors::read(Value::Object(fields)).map_err(bad_arguments::<V>)
}

fn canonical(name: String) -> String {
    OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, argument)| (*argument).to_owned())
}

/// Gives every argument its own name. One that is given under two names is refused: nobody knows which is meant.
fn with_canonical_names<V: VerbSpec>(fields: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let mut named = Map::new();
    for (given, value) in fields {
        let name = canonical(given.clone());
        match named.get(&name) {
            Some(_) if value.is_null() => {}
            Some(before) if !before.is_null() => {
                let other = OTHER_NAMES.iter().find(|(_, argument)| *argument == name);
                let other = other.map_or(given.as_str(), |(other, _)| other);
                let why = format!("`{name}` and `{other}` are the same argument; give one");
                return Err(bad_arguments::<V>(why));
            }
            _ => drop(named.insert(name, value)),
        }
    }
    Ok(named)
}

fn bad_arguments<V: VerbSpec>(why: String) -> Refusal {
    Refusal::BadArguments { verb: V::NAME.to_owned(), why }
}

fn unknown_argument<V: VerbSpec>(name: &str, known: &BTreeSet<String>) -> Refusal {
    let near =
        nearest(name, known.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`?"));
    let why = format!("unknown argument `{name}`{}", near.unwrap_or_default());
    Refusal::BadArguments { verb: V::NAME.to_owned(), why }
}

/// The arguments of a verb: the properties of its schema, computed once per verb and kept.
fn known<V: VerbSpec>() -> &'static BTreeSet<String> {
    static KNOWN: Mutex<Vec<(&'static str, &'static BTreeSet<String>)>> = Mutex::new(Vec::new());
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, names)) = all.iter().find(|(verb, _)| *verb == V::NAME) {
        return names;
    }
    let names: &'static BTreeSet<String> = Box::leak(Box::new(properties::<V>()));
    all.push((V::NAME, names));
    names
}

fn properties<V: VerbSpec>() -> BTreeSet<String> {
    let schema = schemars::schema_for!(V);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|map| map.keys().cloned().collect()).unwrap_or_default()
}
