//! Settings with which an agent ignores what fugue adds to its files, and what their values say. They are the user's: setup
//! reports them and changes none.

use fugue_protocol::verbs::VERBS;
use serde_json::{Value, json};

use super::{OffSwitch, Switch, is_server};
use crate::known_agent::KnownAgent;

pub(crate) const SERVER_DISABLED: &str = "the MCP server is disabled";
pub(crate) const HOOKS_DISABLED: &str = "the hooks are disabled";

pub(crate) const fn switch(
    path: &'static [&'static str],
    read: fn(&Value) -> Option<Switch>,
    what: &'static str,
) -> OffSwitch {
    OffSwitch { path, read, what }
}

pub(crate) fn is_true(value: &Value) -> Option<Switch> {
    value.as_bool().map(|on| if on { Switch::Off } else { Switch::On })
}

pub(crate) fn is_false(value: &Value) -> Option<Switch> {
    value.as_bool().map(|on| if on { Switch::On } else { Switch::Off })
}

/// A list of what is not allowed.
pub(crate) fn lists_fugue(list: &Value) -> Option<Switch> {
    names(list)?.any(covers_fugue).then_some(Switch::Off)
}

/// A list of tools by name, without patterns: those that the server lists by default.
pub(crate) fn lists_every_tool(list: &Value) -> Option<Switch> {
    let excluded: Vec<_> = names(list)?.collect();
    let mut core = VERBS.iter().filter(|verb| verb.properties.tool.core.is_some());
    let is_excluded = |name: &str| excluded.contains(&format!("fugue_{}", name.replace('-', "_")).as_str());
    core.all(|verb| is_excluded(verb.name)).then_some(Switch::Off)
}

/// A list of what alone is allowed.
pub(crate) fn leaves_fugue_out(list: &Value) -> Option<Switch> {
    (!names(list)?.any(|name| covers_fugue(name) || name.contains("fugue_"))).then_some(Switch::Off)
}

/// The same, but an empty list allows everything.
pub(crate) fn leaves_fugue_out_if_any(list: &Value) -> Option<Switch> {
    leaves_fugue_out(list).filter(|_| *list != json!([]))
}

/// Patterns of tools, with whether they are allowed. The last one that matches counts.
pub(crate) fn denies_fugue(value: &Value) -> Option<Switch> {
    let is_off = |value: &Value| *value == Value::Bool(false) || *value == "deny";
    let rules = match value {
        Value::Object(rules) => {
            rules.iter().filter(|(pattern, _)| covers_fugue(pattern)).map(|(_, rule)| rule).next_back()?
        }
        rule => rule,
    };
    Some(if is_off(rules) { Switch::Off } else { Switch::On })
}

/// The names in a list of strings, or of servers by name or command.
fn names(list: &Value) -> Option<impl Iterator<Item = &str>> {
    Some(list.as_array()?.iter().filter_map(name))
}

fn name(item: &Value) -> Option<&str> {
    let is_fugue = is_server(&json!({ "command": item["serverCommand"] }));
    if is_fugue { Some("fugue") } else { item.as_str().or_else(|| item["serverName"].as_str()) }
}

/// Whether a name or a pattern is about everything of fugue.
fn covers_fugue(pattern: &str) -> bool {
    let mut setups = KnownAgent::all().iter().map(|agent| &agent.setup);
    let is_named = |names: &[&str]| names.contains(&pattern);
    let is_matched =
        |names: &[&str]| pattern.contains('*') && names.iter().any(|name| matches(pattern, name));
    pattern == "fugue" || setups.any(|setup| is_named(setup.names) || is_matched(setup.tool_names))
}

/// Whether a name matches a pattern, in which `*` is any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            (0..=name.len()).filter(|at| name.is_char_boundary(*at)).any(|at| matches(rest, &name[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_single_tools_turns_the_server_off_only_if_it_has_all() {
        assert_eq!(lists_every_tool(&json!(["fugue_whoami", "fugue_*"])), None);
        let core = VERBS.iter().filter(|verb| verb.properties.tool.core.is_some());
        let all: Vec<_> = core.map(|verb| format!("fugue_{}", verb.name.replace('-', "_"))).collect();
        assert_eq!(lists_every_tool(&json!(all)), Some(Switch::Off));
    }

    #[test]
    fn a_pattern_covers_fugue_if_it_matches_all_of_its_tools() {
        for pattern in
            ["fugue", "mcp__fugue", "mcp__fugue__*", "mcp__*", "*", "fugue_*", "fugue*", "mcp_fugue_*"]
        {
            assert!(covers_fugue(pattern), "{pattern}");
        }
        for other in ["mcp__fugue__fugue_whoami", "fugue_whoami", "mcp__docs__*", "other*", "Bash(fugue *)"] {
            assert!(!covers_fugue(other), "{other}");
        }
    }
}
