//! Settings with which an agent ignores what fugue adds to its files, and where the agent keeps them: in the files of the
//! user, of the project in the current directory, and of the administrator. They are the user's: setup reports them and
//! changes none.

use std::path::{Path, PathBuf};

use fugue_protocol::verbs::VERBS;
use serde_json::{Value, json};

use super::agents::{Agent, Home};
use super::change;
use super::document::{FileFormat, at};
use super::entry;

/// What a value says about fugue; `None` if nothing.
type Reading = fn(&Value) -> Option<Switch>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    On,
    Off,
}

/// A setting that can turn something off.
struct OffSwitch {
    path: &'static [&'static str],
    read: Reading,
    what: &'static str,
}

const SERVER: &str = "the MCP server is disabled";
const HOOKS: &str = "the hooks are disabled";

const fn switch(path: &'static [&'static str], read: Reading, what: &'static str) -> OffSwitch {
    OffSwitch { path, read, what }
}

const CLAUDE: [OffSwitch; 5] = [
    switch(&["permissions", "deny"], lists_fugue, SERVER),
    switch(&["deniedMcpServers"], lists_fugue, SERVER),
    switch(&["allowedMcpServers"], leaves_fugue_out, SERVER),
    // `/mcp` writes it.
    switch(&["disabledMcpServers"], lists_fugue, SERVER),
    switch(&["disableAllHooks"], is_true, HOOKS),
];

const CODEX: [OffSwitch; 5] = [
    switch(&["mcp_servers", "fugue", "enabled"], is_false, SERVER),
    switch(&["mcp_servers", "fugue", "enabled_tools"], leaves_fugue_out, SERVER),
    switch(
        &["features", "daemon_auto_start"],
        is_true,
        "Codex's shared background server, in which fugue refuses every call, is enabled",
    ),
    switch(&["features", "hooks"], is_false, HOOKS),
    switch(&["features", "codex_hooks"], is_false, HOOKS),
];

const GEMINI: [OffSwitch; 9] = [
    switch(&["mcp", "excluded"], lists_fugue, SERVER),
    switch(&["mcp", "allowed"], leaves_fugue_out_if_any, SERVER),
    switch(&["mcpServers", "fugue", "excludeTools"], lists_every_tool, SERVER),
    switch(&["mcpServers", "fugue", "includeTools"], leaves_fugue_out, SERVER),
    switch(&["tools", "exclude"], lists_fugue, SERVER),
    switch(&["tools", "core"], leaves_fugue_out_if_any, SERVER),
    // `gemini mcp disable` writes it, to a file of its own.
    switch(&["fugue", "enabled"], is_false, SERVER),
    switch(&["hooksConfig", "enabled"], is_false, HOOKS),
    switch(&["hooksConfig", "disabled"], lists_fugue, HOOKS),
];

const OPENCODE: [OffSwitch; 5] = [
    switch(&["mcp", "fugue", "enabled"], is_false, SERVER),
    switch(&["tools"], denies_fugue, SERVER),
    switch(&["permission"], denies_fugue, SERVER),
    // The agent that OpenCode starts with.
    switch(&["agent", "build", "tools"], denies_fugue, SERVER),
    switch(&["agent", "build", "permission"], denies_fugue, SERVER),
];

/// Names of the MCP server in lists of servers, tools and hooks.
const NAMES: [&str; 5] =
    ["fugue", "mcp__fugue", "mcp__plugin_fugue_fugue", "fugue hook gemini", "fugue:fugue"];

/// The names of one of its tools in each agent. A pattern that matches one of them is about all tools.
const TOOL_NAMES: [&str; 4] = [
    "mcp__fugue__fugue_whoami",
    "mcp__plugin_fugue_fugue__fugue_whoami",
    "mcp_fugue_fugue_whoami",
    "fugue_fugue_whoami",
];

fn is_true(value: &Value) -> Option<Switch> {
    value.as_bool().map(|on| if on { Switch::Off } else { Switch::On })
}

fn is_false(value: &Value) -> Option<Switch> {
    value.as_bool().map(|on| if on { Switch::On } else { Switch::Off })
}

/// A list of what is not allowed.
fn lists_fugue(list: &Value) -> Option<Switch> {
    names(list)?.any(covers_fugue).then_some(Switch::Off)
}

/// A list of tools by name, without patterns: those that the server lists by default.
fn lists_every_tool(list: &Value) -> Option<Switch> {
    let excluded: Vec<_> = names(list)?.collect();
    let mut core = VERBS.iter().filter(|verb| verb.properties.tool.core.is_some());
    let is_excluded = |name: &str| excluded.contains(&format!("fugue_{}", name.replace('-', "_")).as_str());
    core.all(|verb| is_excluded(verb.name)).then_some(Switch::Off)
}

/// A list of what alone is allowed.
fn leaves_fugue_out(list: &Value) -> Option<Switch> {
    (!names(list)?.any(|name| covers_fugue(name) || name.contains("fugue_"))).then_some(Switch::Off)
}

/// The same, but an empty list allows everything.
fn leaves_fugue_out_if_any(list: &Value) -> Option<Switch> {
    leaves_fugue_out(list).filter(|_| *list != json!([]))
}

/// Patterns of tools, with whether they are allowed. The last one that matches counts.
fn denies_fugue(value: &Value) -> Option<Switch> {
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
    let is_fugue = entry::is_server(&json!({ "command": item["serverCommand"] }));
    if is_fugue { Some("fugue") } else { item.as_str().or_else(|| item["serverName"].as_str()) }
}

/// Whether a name or a pattern is about everything of fugue.
fn covers_fugue(pattern: &str) -> bool {
    NAMES.contains(&pattern) || pattern.contains('*') && TOOL_NAMES.iter().any(|name| matches(pattern, name))
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

/// Returns what keeps fugue from working in an agent that is run in this directory: a sentence each, with the file.
pub(super) fn obstacles(agent: &Agent, home: &Home, directory: &Path) -> Vec<String> {
    let layers = layers(agent, home, directory);
    let switches: &[OffSwitch] = match agent.name {
        "claude" => &CLAUDE,
        "codex" => &CODEX,
        "gemini" => &GEMINI,
        _ => &OPENCODE,
    };
    let mut found: Vec<_> = switches.iter().filter_map(|switch| switch.obstacle(&layers)).collect();
    found.extend(other_server(agent, &layers));
    found
}

/// A file with settings of an agent.
struct Layer {
    path: PathBuf,
    values: Value,
    /// Whether the agent reads it in every directory, as the user's.
    is_users: bool,
}

impl OffSwitch {
    /// Says that the setting turns something off, and where. The first file that decides it counts.
    fn obstacle(&self, layers: &[Layer]) -> Option<String> {
        let said = layers.iter().find_map(|layer| Some((layer, (self.read)(at(&layer.values, self.path)?)?)));
        let (layer, _) = said.filter(|(_, switch)| *switch == Switch::Off)?;
        Some(format!("{} by {} in {}", self.what, self.path.join("."), layer.path.display()))
    }
}

/// Returns the settings that apply in a directory; those that overrule others come first. A file that cannot be read is
/// reported elsewhere.
fn layers(agent: &Agent, home: &Home, directory: &Path) -> Vec<Layer> {
    let (managed, project, user): (&[&str], &[&str], Vec<PathBuf>) = match agent.name {
        "claude" => (
            &["/etc/claude-code/managed-settings.json"],
            &[".claude/settings.local.json", ".claude/settings.json", ".mcp.json"],
            vec![home.claude_directory().join("settings.json")],
        ),
        "codex" => (&[], &[".codex/config.toml"], vec![home.codex_directory().join("config.toml")]),
        "gemini" => (
            &["/etc/gemini-cli/settings.json"],
            &[".gemini/settings.json"],
            ["settings.json", "mcp-server-enablement.json"]
                .map(|name| home.gemini_directory().join(name))
                .to_vec(),
        ),
        _ => (
            &[],
            &[".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"],
            ["opencode.jsonc", "opencode.json", "config.json"]
                .map(|name| home.opencode_directory().join(name))
                .to_vec(),
        ),
    };
    let format = if agent.name == "codex" { FileFormat::Toml } else { FileFormat::Json };
    let layer = |path: PathBuf, is_users| {
        let values = read(&path, format)?;
        Some(Layer { path, values, is_users })
    };
    let project = project_directories(directory)
        .into_iter()
        .flat_map(|directory| project.iter().map(move |name| directory.join(name)))
        .filter(|path| !user.contains(path));
    let above = managed.iter().map(PathBuf::from).chain(project).filter_map(|path| layer(path, false));
    let above: Vec<_> = project_state(agent, home, directory).into_iter().chain(above).collect();
    above.into_iter().chain(user.into_iter().filter_map(|path| layer(path, true))).collect()
}

/// Returns what Claude Code keeps for a project in the file of the user.
fn project_state(agent: &Agent, home: &Home, directory: &Path) -> Option<Layer> {
    let path = agent.files(home, "fugue").into_iter().next().filter(|_| agent.name == "claude")?.path;
    let values = read(&path, FileFormat::Json)?;
    let state = at(&values, &["projects", directory.to_str()?])?.clone();
    Some(Layer { path, values: state, is_users: false })
}

fn read(path: &Path, format: FileFormat) -> Option<Value> {
    format.values(&change::read(path).ok()??).ok()
}

/// Returns a directory and those above it, up to the root of its repository; without one, only the directory.
fn project_directories(directory: &Path) -> Vec<PathBuf> {
    let all: Vec<_> = directory.ancestors().map(Path::to_owned).collect();
    let root = all.iter().position(|directory| directory.join(".git").exists()).unwrap_or(0);
    all[..=root.min(all.len().saturating_sub(1))].to_vec()
}

/// Says that a project has another server of this name, which the agent starts instead.
fn other_server(agent: &Agent, layers: &[Layer]) -> Option<String> {
    let path = match agent.name {
        "codex" => ["mcp_servers", "fugue"],
        "opencode" => ["mcp", "fugue"],
        _ => ["mcpServers", "fugue"],
    };
    let is_other = |layer: &&Layer| {
        let server = at(&layer.values, &path);
        server.is_some_and(|server| !server["command"].is_null() && !entry::is_server(server))
    };
    let layer = layers.iter().filter(|layer| !layer.is_users).find(is_other)?;
    Some(format!("the project has another MCP server \"fugue\" in {}", layer.path.display()))
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
