//! Arguments that the server adds to a call: the agent's directory, defaults that suit a model, and a key that makes a
//! message safe to send again.

use fugue_protocol::verbs::RunParallel;
use serde_json::{Map, Value};

use crate::tools::{self, ToolEntry};

/// The default size of a page of messages: what a model reads without losing track of its task.
const PAGE_BYTES: u64 = 14 << 10;

/// Verbs that take an idempotency key.
pub(crate) const KEYED: [&str; 4] = ["send-orchestration", "request-help", "broadcast", "report-status"];

/// The arguments with defaults added.
pub(crate) fn with_defaults(entry: &ToolEntry, args: Map<String, Value>) -> Map<String, Value> {
    let mut args = with_directory(entry, args);
    for (_, name, value) in tools::DEFAULTS.iter().filter(|(verb, ..)| *verb == entry.verb) {
        args.entry(*name).or_insert_with(|| (*value).into());
    }
    match entry.verb {
        "poll-messages" => drop(args.entry("max_bytes").or_insert_with(|| PAGE_BYTES.into())),
        "run-parallel" => drop(args.entry("wait_ms").or_insert_with(|| RunParallel::WAIT_MS.into())),
        verb if KEYED.contains(&verb) => {
            args.entry("idempotency_key").or_insert_with(|| random_key().into());
        }
        _ => {}
    }
    args
}

/// Resolves `cwd` against the agent's own directory, which is also where a new session starts.
fn with_directory(entry: &ToolEntry, mut args: Map<String, Value>) -> Map<String, Value> {
    let takes_directory = entry.tool.input_schema["properties"].get("cwd").is_some();
    let Some(here) = takes_directory.then(|| std::env::current_dir().ok()).flatten() else { return args };
    let directory = match args.get("cwd") {
        Some(Value::String(cwd)) if !cwd.is_empty() => here.join(cwd),
        None if entry.verb == "create-session" => here,
        // Anything else is for the daemon to refuse.
        _ => return args,
    };
    if let Ok(directory) = directory.into_os_string().into_string() {
        args.insert("cwd".into(), directory.into());
    }
    args
}

/// A key with enough randomness that no two calls share one.
fn random_key() -> String {
    use std::hash::{BuildHasher, RandomState};
    let random = |salt: u64| RandomState::new().hash_one(salt);
    format!("mcp-{:016x}{:016x}", random(1), random(2))
}
