//! The arguments of a call, and what a client completes in them before it sends them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::properties::{Properties, WaitArgument, WorkingDirectory};
use crate::LeaseName;
use crate::paths::{lease_path, plain};

/// A call's arguments, as they are sent.
pub type Arguments = Map<String, Value>;

/// Makes the paths of a call absolute, seen from the caller's own directory and its home directory.
pub(super) fn resolve_paths(
    arguments: &mut Arguments,
    properties: &Properties,
    here: &Path,
    home: Option<&Path>,
) {
    // A directory on another host is seen from there.
    if !arguments.contains_key("host") {
        resolve_directory(arguments, properties.directory, here);
    }
    if let Some(argument) = properties.path
        && let Some(Value::String(path)) = arguments.get(argument)
        && let Ok(path) = plain(&here.join(from_home(path, home))).into_os_string().into_string()
    {
        arguments.insert(argument.into(), path.into());
    }
    if let Some(argument) = properties.lease
        && let Some(Value::String(name)) = arguments.get(argument)
        && let Some(path) = lease_path(name, here)
        && let Ok(path) = path.into_os_string().into_string()
        && path.parse::<LeaseName>().is_ok()
    {
        arguments.insert(argument.into(), path.into());
    }
}

fn resolve_directory(arguments: &mut Arguments, wanted: WorkingDirectory, here: &Path) {
    let directory = match arguments.get("cwd") {
        Some(Value::String(cwd)) if is_in_home(cwd) => return,
        Some(Value::String(cwd)) if !cwd.is_empty() => here.join(cwd),
        None if wanted == WorkingDirectory::CallersByDefault => here.to_owned(),
        // Anything else is the daemon's to refuse.
        _ => return,
    };
    if let Ok(directory) = directory.into_os_string().into_string()
        && wanted != WorkingDirectory::None
    {
        arguments.insert("cwd".into(), directory.into());
    }
}

/// Whether a path begins with the home directory, which the daemon completes.
fn is_in_home(path: &str) -> bool {
    path == "~" || path.starts_with("~/")
}

/// A path that begins with `~` in the home directory; others as they are.
fn from_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (Path::new(path).strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// Shortens the wait of a call that is repeated, so that all attempts together wait as long as was asked for.
pub(super) fn shorten_wait(arguments: &mut Arguments, wait: WaitArgument, waited: Duration) {
    let asked = arguments.get(wait.name).and_then(Value::as_u64).unwrap_or(wait.default_ms);
    let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
    // 0 would mean not to wait at all, which some verbs answer differently.
    if asked > 0 && waited > 0 {
        arguments.insert(wait.name.into(), asked.saturating_sub(waited).max(1).into());
    }
}
