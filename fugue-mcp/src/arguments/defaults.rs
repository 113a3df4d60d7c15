//! Arguments that the server adds to a call: the agent's directory, defaults that suit a model, and a key that makes the
//! call safe to repeat.

use std::path::PathBuf;

use fugue_client::random_key;
use serde_json::{Map, Value};

use crate::tools::ToolEntry;

/// The arguments with those that the server adds.
pub(crate) fn with_defaults(entry: &ToolEntry, mut args: Map<String, Value>) -> Map<String, Value> {
    if let Ok(here) = std::env::current_dir() {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        entry.verb.resolve_paths(&mut args, &here, home.as_deref());
    }
    for (name, value) in entry.defaults() {
        args.entry(name).or_insert(value);
    }
    entry.verb.add_key(&mut args, || random_key("mcp"));
    args
}
