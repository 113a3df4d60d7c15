//! The table of the known agents, and what is asked about an agent by its name.

use fugue_protocol::dialogs::Dialog;

use crate::composer::Composer;
use crate::dialog::SelectionKeys;
use crate::inbox::AgentInbox;
use crate::known_agent::KnownAgent;
use crate::shown_screen::ShownScreen;
use crate::{claude, codex, gemini, opencode};

/// All of them: a module each.
static ALL: &[KnownAgent] = &[claude::AGENT, codex::AGENT, gemini::AGENT, opencode::AGENT];

/// The keys that interrupt an agent of which nothing else is known, where that is not a single Escape.
const INTERRUPTS: [(&str, &[&str]); 1] = [("aider", &["C-c"])];

impl KnownAgent {
    /// Returns all known agents.
    pub fn all() -> &'static [Self] {
        ALL
    }

    /// Returns the agent with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|agent| agent.name == name)
    }

    /// Returns the names of all known agents.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|agent| agent.name)
    }
}

impl KnownAgent {
    /// Returns the agent by the name that it gives as an MCP client. One that gives none, or an unknown one, can only be one
    /// that is recognized by the variables that it passes on, as those of its messaging socket.
    pub fn of_mcp_client(name: Option<&str>) -> &'static Self {
        let named = ALL.iter().find(|agent| name == Some(agent.mcp_client));
        let passes_on = || ALL.iter().find(|agent| matches!(agent.inbox, Some(AgentInbox::Socket(_))));
        named.or_else(passes_on).unwrap_or(&ALL[0])
    }
}

/// Returns the variables that teammates of an agent share, beside those of every program.
pub fn team_variables() -> impl Iterator<Item = &'static str> {
    ALL.iter().filter_map(|agent| agent.team_mode.as_ref()).flat_map(|mode| mode.shares.iter().copied())
}

/// Looks for an agent's input field on its screen.
pub fn composer(agent: &str, screen: &ShownScreen) -> Composer {
    KnownAgent::find(agent).and_then(|agent| (agent.composer)(screen)).into()
}

/// Returns a prompt in the parts in which it is pasted into an agent's input field, so that the agent takes all of it for
/// the user's own words.
pub fn pasted_parts<'a>(agent: &str, prompt: &'a str) -> Vec<&'a str> {
    let whole = KnownAgent::find(agent).and_then(|agent| agent.whole_paste);
    whole.map_or_else(|| vec![prompt], |whole| whole.parts(prompt))
}

/// Returns the dialog on an agent's screen, if there is one.
pub fn dialog(agent: &str, screen: &ShownScreen) -> Option<Dialog> {
    (KnownAgent::find(agent)?.dialog)(screen)
}

/// Returns the keys that move the selection in an agent's dialogs.
pub fn selection_keys(agent: &str, dialog: &Dialog) -> SelectionKeys {
    KnownAgent::find(agent).map_or(SelectionKeys::VERTICAL, |agent| (agent.selection_keys)(dialog))
}

/// Whether the field for an answer of one's own with this text is empty.
pub fn is_empty_field(label: &str) -> bool {
    let label = label.trim_end_matches('.');
    ALL.iter().any(|agent| agent.empty_field == Some(label))
}

/// Whether this reason, which an agent reports, says less than its screen.
pub(crate) fn is_vague(reason: &str) -> bool {
    ALL.iter().any(|agent| agent.vague_reason == Some(reason))
}

/// Returns the keys that interrupt an agent at work.
pub fn interrupt_keys(agent: &str) -> &'static [&'static str] {
    let other = || INTERRUPTS.iter().find(|(name, _)| *name == agent).map(|(_, keys)| *keys);
    KnownAgent::find(agent).map(|agent| agent.interrupt).or_else(other).unwrap_or(&["Escape"])
}
