//! Profiles: which tools `tools/list` offers, and in which order. A model pays for every tool it is shown, and some
//! clients show only the first of a long list. A profile that lists `fugue_call` accepts every tool, by its name too; any
//! other profile refuses the tools that it does not list, and the resources that show what these tools return.

use fugue_protocol::refusal::nearest;
use fugue_protocol::verbs::{GetOutput, ListSessions, Nature, PollMessages, VerbSpec};
use rmcp::model::Tool;

use crate::resources::ResourceUri;
use crate::tools::{self, ToolEntry};
use crate::{help, indirect_call};

/// The tools to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum ToolProfile {
    /// The tools that most work is done with.
    #[default]
    Core,
    /// The tools that only read.
    Observe,
    /// All tools, the core ones first.
    All,
    /// The tools with these names, in this order.
    Named(Vec<String>),
}

/// The tools of `small`, for agents that send every listed tool with every request: those that each task uses. `fugue_call`
/// calls the others.
const SMALL: [&str; 15] = [
    "fugue_whoami",
    "fugue_list_sessions",
    "fugue_run",
    "fugue_wait",
    "fugue_create_session",
    "fugue_create_pane",
    "fugue_send_input",
    "fugue_get_output",
    "fugue_close_pane",
    "fugue_send_orchestration",
    "fugue_poll_messages",
    "fugue_report_status",
    "fugue_request_help",
    tools::CALL,
    tools::HELP,
];

impl std::str::FromStr for ToolProfile {
    type Err = String;

    /// Reads `all`, `core`, `small`, `observe`, or names of tools separated by commas, with or without `fugue_`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "core" => Ok(Self::Core),
            "small" => Ok(Self::Named(SMALL.map(str::to_owned).to_vec())),
            "observe" => Ok(Self::Observe),
            "all" => Ok(Self::All),
            names => names_of(names).map(Self::Named),
        }
    }
}

/// The full names of tools that are separated by commas, each once: clients refuse a list that has a name twice.
fn names_of(text: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for name in text.split(',') {
        let name = tool_named(name.trim())?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// The full name of a tool.
fn tool_named(name: &str) -> Result<String, String> {
    let full = tools::full_name(name);
    if by_name(&full).is_some() {
        return Ok(full);
    }
    let known = tools::all().iter().map(|entry| &*entry.tool.name).chain([tools::CALL, tools::HELP]);
    // The prefix, which all have, would make any two names similar.
    let bare = |name: &'static str| name.strip_prefix(tools::PREFIX).unwrap_or(name);
    let near = nearest(full.strip_prefix(tools::PREFIX).unwrap_or(&full), known.map(bare));
    let hint = near.map(|name| format!("; did you mean {}{name}?", tools::PREFIX));
    let hint = hint.unwrap_or_else(|| ": use all, core, small, observe, or tools separated by commas".into());
    Err(format!("`{name}` is neither a profile nor a tool{hint}"))
}

impl ToolProfile {
    /// The tools, as clients receive them.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let listed = |offers: fn(&ToolEntry) -> bool, others: Vec<Tool>| {
            let entries = tools::all().iter().filter(move |entry| offers(entry));
            entries.map(|entry| entry.tool.clone()).chain(others).collect()
        };
        match self {
            Self::Core => listed(
                |entry| entry.verb.properties.tool.core.is_some(),
                vec![indirect_call::tool(), help::tool()],
            ),
            Self::Observe => listed(is_observing, vec![help::tool_without_calls()]),
            Self::All => listed(|_| true, vec![help::tool()]),
            Self::Named(names) => names.iter().filter_map(|name| self.named(name)).collect(),
        }
    }

    /// A tool of a list of names.
    fn named(&self, name: &str) -> Option<Tool> {
        match name == tools::HELP && !self.allows(tools::CALL) {
            true => Some(help::tool_without_calls()),
            false => by_name(name),
        }
    }

    /// Whether a tool may be called.
    pub(crate) fn allows(&self, name: &str) -> bool {
        let is_named = |names: &[String], name: &str| names.iter().any(|named| named == name);
        match self {
            Self::Core | Self::All => true,
            Self::Observe => name == tools::HELP || tools::find(name).is_some_and(is_observing),
            Self::Named(names) => is_named(names, name) || is_named(names, tools::CALL),
        }
    }

    /// Whether a resource may be read and watched: whether the tool that returns the same may be called.
    pub(crate) fn allows_resource(&self, resource: &ResourceUri) -> bool {
        let verb = match resource {
            ResourceUri::Sessions => ListSessions::NAME,
            ResourceUri::Inbox => PollMessages::NAME,
            ResourceUri::Pane(_) => GetOutput::NAME,
        };
        self.allows(&tools::name_of(verb))
    }

    /// The error of a call of a tool that exists, but that the profile does not allow.
    pub(crate) fn refusal(&self, name: &str) -> Option<String> {
        let is_refused = !self.allows(name) && by_name(name).is_some();
        is_refused.then(|| self.not_available(name))
    }

    /// The error of a request for a tool or resource that the profile does not allow.
    pub(crate) fn not_available(&self, name: &str) -> String {
        let profile = match self {
            Self::Observe => "observe",
            _ => "a list of tools",
        };
        format!(
            "{name} is not available: the user started this server with `--tools` set to {profile}\n\
             hint: only the user can change that, in the configuration of this MCP server"
        )
    }
}

/// Whether a tool only reads.
fn is_observing(entry: &ToolEntry) -> bool {
    entry.verb.nature == Nature::Reads
}

fn by_name(name: &str) -> Option<Tool> {
    match name {
        tools::HELP => Some(help::tool()),
        tools::CALL => Some(indirect_call::tool()),
        _ => tools::find(name).map(|entry| entry.tool.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(profile: &str) -> Vec<String> {
        let tools = profile.parse::<ToolProfile>().expect("a profile").tools();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    #[test]
    fn the_core_comes_first_in_the_order_of_use() {
        let core = names("core");
        assert_eq!(core[..4], ["fugue_whoami", "fugue_list_sessions", "fugue_run", "fugue_wait"]);
        assert_eq!(core.last().map(String::as_str), Some(tools::HELP));
        let all = names("all");
        assert_eq!(core[core.len() - 2], tools::CALL);
        assert!(all.starts_with(&core[..core.len() - 2]) && all.len() > 2 * core.len(), "{all:?}");
    }

    #[test]
    fn a_profile_observes_or_lists_exactly_the_named_tools() {
        let observe = names("observe");
        assert!(observe.contains(&"fugue_get_output".into()) && !observe.contains(&"fugue_run".into()));
        assert_eq!(names("run, fugue_wait,list-panes"), ["fugue_run", "fugue_wait", "fugue_list_panes"]);
        assert_eq!(names("run,wait,fugue_run"), ["fugue_run", "fugue_wait"], "a tool is listed once");
        let unknown = "run,wiat".parse::<ToolProfile>().unwrap_err();
        assert_eq!(unknown, "`wiat` is neither a profile nor a tool; did you mean fugue_wait?");
        assert!("".parse::<ToolProfile>().is_err() && "shutdown".parse::<ToolProfile>().is_err());
    }

    #[test]
    fn the_small_list_has_tools_of_the_core_and_is_much_smaller() {
        let (small, core) = (names("small"), names("core"));
        assert_eq!(small.len(), SMALL.len(), "all of them exist");
        assert!(small.iter().all(|name| core.contains(name)), "{small:?}");
        let bytes = |profile: &str| {
            let tools = profile.parse::<ToolProfile>().expect("a profile").tools();
            tools
                .iter()
                .map(|tool| json!([tool.name, tool.description, tool.input_schema]).to_string().len())
                .sum()
        };
        let (small, core): (usize, usize) = (bytes("small"), bytes("core"));
        assert!(small * 100 < core * 78, "{small} of {core} bytes");
    }

    #[test]
    fn a_profile_allows_exactly_what_it_lists_unless_it_lists_the_tool_that_calls_any() {
        let allowed = |profile: &str| {
            let profile = profile.parse::<ToolProfile>().expect("a profile");
            let all = tools::all().iter().map(|entry| &*entry.tool.name).chain([tools::HELP, tools::CALL]);
            let mut allowed: Vec<_> = all.filter(|name| profile.allows(name)).map(str::to_owned).collect();
            allowed.sort();
            allowed
        };
        let listed = |profile: &str| {
            let mut names = names(profile);
            names.sort();
            names
        };
        for profile in ["observe", "run,wait", "run,help"] {
            assert_eq!(allowed(profile), listed(profile), "{profile}");
        }
        for profile in ["core", "small", "all", "run,call"] {
            assert_eq!(allowed(profile).len(), tools::all().len() + 2, "{profile}");
        }
        let refusal = ToolProfile::Observe.refusal("fugue_kill_session").expect("a refusal");
        assert!(refusal.starts_with("fugue_kill_session is not available: "), "{refusal}");
        assert_eq!(ToolProfile::Observe.refusal("fugue_kill_sesion"), None, "it does not exist");
    }

    #[test]
    fn a_profile_allows_the_resources_of_the_tools_that_it_allows() {
        let allowed = |profile: &str| {
            let profile = profile.parse::<ToolProfile>().expect("a profile");
            [ResourceUri::Sessions, ResourceUri::Inbox, ResourceUri::Pane("x".into())]
                .map(|resource| profile.allows_resource(&resource))
        };
        for profile in ["core", "small", "all", "run,call"] {
            assert_eq!(allowed(profile), [true; 3], "{profile}");
        }
        assert_eq!(allowed("observe"), [true, false, true], "reading the inbox changes receipts");
        assert_eq!(allowed("run,wait"), [false; 3]);
        assert_eq!(allowed("run,poll_messages"), [false, true, false]);
    }

    /// Clients send the whole list to a model with every conversation.
    #[test]
    fn the_default_list_is_small() {
        let tools = ToolProfile::Core.tools();
        let bytes = serde_json::to_string(&tools).expect("JSON").len();
        assert!(bytes < 30_000, "{bytes} bytes");
        // A model is shown these parts. 19,600 bytes are about 4,480 tokens (tools/mcp-tokens.mjs counts them).
        let shown = |tool: &Tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema });
        let bytes: usize = tools.iter().map(|tool| shown(tool).to_string().len()).sum();
        assert!(bytes <= 19_600, "{bytes} bytes for the model");
    }
}
