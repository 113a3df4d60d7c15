//! Profiles: which tools `tools/list` offers, and in which order. A model pays for every tool it is shown, and some
//! clients show only the first of a long list. Whatever the profile, the server accepts every tool by its name; a client
//! that refuses to call an unlisted tool can call it with `fugue_call`.

use fugue_protocol::refusal::nearest;
use fugue_protocol::verbs::Nature;
use rmcp::model::Tool;

use crate::tools::{self, ToolEntry};
use crate::{help, indirect_call};

/// The tools to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Profile {
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

impl std::str::FromStr for Profile {
    type Err = String;

    /// Reads `all`, `core`, `observe`, or names of tools separated by commas, with or without `fugue_`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "core" => Ok(Self::Core),
            "observe" => Ok(Self::Observe),
            "all" => Ok(Self::All),
            names => names
                .split(',')
                .map(|name| tool_named(name.trim()))
                .collect::<Result<_, _>>()
                .map(Self::Named),
        }
    }
}

/// The full name of a tool.
fn tool_named(name: &str) -> Result<String, String> {
    let full = tools::full_name(name);
    if by_name(&full).is_some() {
        return Ok(full);
    }
    let known = tools::all().iter().map(|entry| &*entry.tool.name).chain([indirect_call::NAME, help::NAME]);
    let hint = nearest(&full, known).map(|name| format!("; did you mean {name}?"));
    let hint = hint.unwrap_or_else(|| ": use all, core, observe, or tools separated by commas".into());
    Err(format!("`{name}` is neither a profile nor a tool{hint}"))
}

impl Profile {
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
            Self::Observe => listed(|entry| entry.verb.nature == Nature::Reads, vec![help::tool()]),
            Self::All => listed(|_| true, vec![help::tool()]),
            Self::Named(names) => names.iter().filter_map(|name| by_name(name)).collect(),
        }
    }
}

fn by_name(name: &str) -> Option<Tool> {
    match name {
        help::NAME => Some(help::tool()),
        indirect_call::NAME => Some(indirect_call::tool()),
        _ => tools::find(name).map(|entry| entry.tool.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(profile: &str) -> Vec<String> {
        let tools = profile.parse::<Profile>().expect("a profile").tools();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    #[test]
    fn the_core_comes_first_in_the_order_of_use() {
        let core = names("core");
        assert_eq!(core[..4], ["fugue_whoami", "fugue_list_sessions", "fugue_run", "fugue_wait"]);
        assert_eq!(core.last().map(String::as_str), Some(help::NAME));
        let all = names("all");
        assert_eq!(core[core.len() - 2], indirect_call::NAME);
        assert!(all.starts_with(&core[..core.len() - 2]) && all.len() > 2 * core.len(), "{all:?}");
    }

    #[test]
    fn a_profile_observes_or_lists_exactly_the_named_tools() {
        let observe = names("observe");
        assert!(observe.contains(&"fugue_get_output".into()) && !observe.contains(&"fugue_run".into()));
        assert_eq!(names("run, fugue_wait,list-panes"), ["fugue_run", "fugue_wait", "fugue_list_panes"]);
        let unknown = "run,wiat".parse::<Profile>().unwrap_err();
        assert_eq!(unknown, "`wiat` is neither a profile nor a tool; did you mean fugue_wait?");
        assert!("".parse::<Profile>().is_err() && "shutdown".parse::<Profile>().is_err());
    }

    /// Clients send the whole list to a model with every conversation.
    #[test]
    fn the_default_list_is_small() {
        let tools = Profile::Core.tools();
        let bytes = serde_json::to_string(&tools).expect("JSON").len();
        assert!(bytes < 30_000, "{bytes} bytes");
        // A model is shown these parts. 19,600 bytes are about 4,480 tokens (tools/mcp-tokens.mjs counts them).
        let shown = |tool: &Tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema });
        let bytes: usize = tools.iter().map(|tool| shown(tool).to_string().len()).sum();
        assert!(bytes <= 19_600, "{bytes} bytes for the model");
    }
}
