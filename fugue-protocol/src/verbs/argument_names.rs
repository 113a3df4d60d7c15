//! Reading a verb's arguments: other spellings are understood, unknown names refused by name.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::{VerbSpec, serde_errors};
use crate::refusal::{Refusal, nearest};

/// Other spellings of an argument, and the one that is meant. The first documents wrote ids with `_id`.
const SPELLINGS: [(&str, &str); 4] =
    [("session_id", "session"), ("window_id", "window"), ("pane_id", "pane"), ("ack", "acknowledge")];

pub(super) fn read<V: VerbSpec>(args: &str) -> Result<V, Refusal> {
    let fields = serde_json::from_str::<Map<String, Value>>(args)
        .map_err(|why| bad::<V>(serde_errors::worded(&why.to_string())))?;
    let fields = fields.into_iter().map(|(name, value)| (meant(name), value)).collect::<Map<_, _>>();
    let known = known::<V>();
    if let Some(name) = fields.keys().find(|name| !known.contains(name.as_str())) {
        return Err(unknown::<V>(name, known));
    }
    // Null is what some clients send for an argument that is left out.
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_errors::read(Value::Object(fields)).map_err(bad::<V>)
}

fn meant(name: String) -> String {
    SPELLINGS.iter().find(|(other, _)| *other == name).map_or(name, |(_, meant)| (*meant).to_owned())
}

fn bad<V: VerbSpec>(why: String) -> Refusal {
    Refusal::BadArguments { verb: V::NAME.to_owned(), why }
}

fn unknown<V: VerbSpec>(name: &str, known: &BTreeSet<String>) -> Refusal {
    let near =
        nearest(name, known.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`?"));
    let why = format!("it has no argument `{name}`{}", near.unwrap_or_default());
    Refusal::BadArguments { verb: V::NAME.to_owned(), why }
}

/// The arguments a verb has: its schema's properties, looked up once per verb and kept for good.
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
