//! The changes in a few lines, for people and as JSON: the files, and what is added to each of them or removed.

use fugue_agents::KnownAgent;
use fugue_protocol::escape::escape;
use serde_json::{Value, json};

use super::additions::additions;
use super::document;
use super::home::Home;
use super::plan::PlannedChange;

/// The list whose elements are named together.
const HOOKS: &str = "hooks.";

/// Returns a line for each file that is changed.
pub(super) fn lines(plans: &[(&KnownAgent, PlannedChange)], home: &Home) -> String {
    let changed = plans.iter().filter(|(_, plan)| !plan.change.is_empty());
    let line = |(agent, plan): &(&KnownAgent, PlannedChange)| {
        let path = match plan.change.path.strip_prefix(&home.directory) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => plan.change.path.display().to_string(),
        };
        format!("{:8}  {}: {}\n", agent.name, escape(&path), escape(&what(plan)))
    };
    changed.map(line).collect()
}

/// Says what happens to a file.
fn what(plan: &PlannedChange) -> String {
    let (added, removed) = names(plan);
    let change = match (added.as_slice(), removed.as_slice()) {
        (added, []) if !added.is_empty() => format!("add {}", joined(added)),
        ([], removed) if !removed.is_empty() => format!("remove {}", joined(removed)),
        _ => "update fugue's entries".into(),
    };
    match (&plan.change.before, &plan.change.after) {
        (None, _) => format!("create the file, {change}"),
        (_, None) => format!("{change}, remove the file"),
        _ => change,
    }
}

/// Returns the names of the entries that are added to a file and removed from it.
fn names(plan: &PlannedChange) -> (Vec<String>, Vec<String>) {
    let values = |text: &Option<String>| document::values(plan.format, text.as_deref().unwrap_or_default());
    let (before, after) = (values(&plan.change.before), values(&plan.change.after));
    let (Ok(before), Ok(after)) = (before, after) else { return (Vec::new(), Vec::new()) };
    let names = |before, after| {
        let paths = additions(before, after).into_iter().map(|addition| addition.path.join("."));
        paths.collect::<Vec<_>>()
    };
    (names(&before, &after), names(&after, &before))
}

fn joined(names: &[String]) -> String {
    let (hooks, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.starts_with(HOOKS));
    let mut parts: Vec<_> = others.into_iter().map(|name| entry_name(name).to_owned()).collect();
    if !hooks.is_empty() {
        let events: Vec<_> = hooks.iter().map(|name| name.trim_start_matches(HOOKS)).collect();
        parts.push(format!("hooks for {}", events.join(", ")));
    }
    parts.join(", ")
}

/// Returns how an entry is called, given its path in the file.
pub(super) fn entry_name(path: &str) -> &str {
    if path.is_empty() { "fugue's plugin" } else { path }
}

/// Returns what is done with a file, and the entries that are left in it.
pub(super) fn json(agent: &KnownAgent, plan: &PlannedChange) -> Vec<Value> {
    let path = &plan.change.path;
    let action = match (&plan.change.before, &plan.change.after) {
        (None, _) => "create",
        (_, None) => "remove",
        _ => "edit",
    };
    let (adds, removes) = names(plan);
    let change =
        json!({ "agent": agent.name, "path": path, "action": action, "adds": adds, "removes": removes });
    let left = plan.left.iter().map(|left| {
        json!({ "agent": agent.name, "path": path, "action": "leave", "entry": left.entry, "why": left.why })
    });
    (!plan.change.is_empty()).then_some(change).into_iter().chain(left).collect()
}
