//! What `fugue hook` knows of the agents that run it: their events, what their input says, what they expect as output, and
//! the settings that make them run it. Some agents run it as a hook at each event; in others, fugue's plugin keeps it running.

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, AgentUsage};
use fugue_protocol::conversation::ConversationId;
use serde::Deserialize;
use serde_json::{Value, json};

/// The most characters of a reason: more does not fit on a screen.
pub const MAX_REASON_CHARS: usize = 500;

/// The timeout of a hook in an agent's settings, in seconds: somewhat more than `fugue hook` takes at most.
const TIMEOUT: u64 = 15;

/// How an agent runs `fugue hook`.
#[derive(Debug)]
pub enum HookKind {
    /// The agent runs it at each of its events.
    Events(AgentHooks),
    /// fugue's plugin in the agent keeps it running.
    Plugin(PluginSource),
}

/// The hooks of an agent.
#[derive(Debug)]
pub struct AgentHooks {
    /// Its events.
    pub events: &'static [(&'static str, TurnPhase)],
    /// How many of the units in which it counts a timeout make a second.
    pub(crate) units_per_second: u64,
    /// The decision that keeps it from stopping.
    pub(crate) keeps_on: &'static str,
    /// Reads for which tool it asks permission, or which one has run.
    pub(crate) asked: fn(&Value) -> Option<PermissionRequest>,
}

/// The phase of an agent's turn in which a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnPhase {
    /// The turn begins: the agent is notified of all unread messages.
    Begins,
    /// The agent asks the user for permission, which is reported.
    Asks,
    /// The agent works: it is notified of new messages.
    Works,
    /// The agent wants to stop: new messages keep it from stopping.
    Ends,
}

/// The events of Claude Code, which others have taken over.
pub(crate) const COMMON_EVENTS: [(&str, TurnPhase); 5] = [
    ("SessionStart", TurnPhase::Begins),
    ("UserPromptSubmit", TurnPhase::Begins),
    ("PermissionRequest", TurnPhase::Asks),
    ("PostToolUse", TurnPhase::Works),
    ("Stop", TurnPhase::Ends),
];

impl AgentHooks {
    /// Returns the phase of the turn at an event.
    pub fn phase(&self, event: &str) -> Option<TurnPhase> {
        self.events.iter().find(|(name, _)| *name == event).map(|(_, phase)| *phase)
    }

    /// Returns what the agent asks permission for, or which tool has run; `None` if it is nothing that needs permission, or
    /// if it is not said.
    pub fn asked(&self, input: &HookInput) -> Option<PermissionRequest> {
        (self.asked)(&input.rest)
    }

    /// Returns a notification in the form that the agent expects.
    pub fn response(&self, phase: TurnPhase, event: &str, line: &str) -> Value {
        match phase {
            TurnPhase::Begins | TurnPhase::Asks | TurnPhase::Works => {
                json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": line } })
            }
            TurnPhase::Ends => json!({ "decision": self.keeps_on, "reason": line }),
        }
    }

    /// Returns the settings that make the agent with this name run its hooks; `fugue` is how a shell runs fugue.
    pub fn settings(&self, agent: &str, fugue: &str) -> Value {
        let (command, timeout) = (format!("{fugue} hook {agent}"), TIMEOUT * self.units_per_second);
        let group = json!([{ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] }]);
        let hooks = self.events.iter().map(|(event, _)| ((*event).to_owned(), group.clone()));
        json!({ "hooks": Value::Object(hooks.collect()) })
    }
}

/// The input of a hook, as far as it matters here. All agents use the same names, except for what is asked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct HookInput {
    /// The event.
    #[serde(rename = "hook_event_name")]
    pub event: String,
    /// The id of the agent's conversation.
    #[serde(rename = "session_id")]
    pub conversation: Option<String>,
    /// Whether a hook has already kept the agent from stopping.
    #[serde(rename = "stop_hook_active")]
    pub is_kept_on: bool,
    /// The prompt with which a turn begins.
    pub prompt: Option<String>,
    #[serde(flatten)]
    rest: Value,
}

impl HookInput {
    /// Reads the input of a hook; `None` if it is something else.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// What an agent asks permission for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRequest {
    /// What is asked, for people to read. It also identifies the request.
    pub reason: String,
    /// The whole command to run, if it is one.
    pub command: Option<String>,
}

impl PermissionRequest {
    /// A request for what `subject` says.
    pub(crate) fn new(subject: &str, command: Option<&str>) -> Self {
        let reason = format!("approve {subject}").chars().take(MAX_REASON_CHARS).collect();
        Self { reason, command: command.map(str::to_owned) }
    }

    /// Reads the name of a tool and its arguments, in the form of Claude Code, which others have taken over.
    pub(crate) fn of_tool(input: &Value) -> Option<Self> {
        let tool = input["tool_name"].as_str().filter(|tool| !tool.is_empty())?;
        let arguments = &input["tool_input"];
        let command = arguments["command"].as_str().filter(|_| tool == "Bash");
        let subject = command.or(arguments["file_path"].as_str());
        let subject = subject.map(|subject| format!(": {subject}")).unwrap_or_default();
        Some(Self::new(&format!("{tool}{subject}"), command))
    }
}

/// The text of fugue's plugin in an agent.
#[derive(Debug)]
pub struct PluginSource(pub(crate) &'static str);

impl PluginSource {
    /// How the text begins, in whichever version.
    const START: &str = "// fugue's plugin for ";

    /// Returns the text; `fugue` is the program that it runs.
    pub fn text(&self, fugue: &str) -> String {
        self.0.replacen("const FUGUE = \"fugue\"", &format!("const FUGUE = {}", json!(fugue)), 1)
    }

    /// Whether a text is such a plugin.
    pub fn is_plugin(text: &str) -> bool {
        text.starts_with(Self::START)
    }
}

/// A line that fugue's plugin in an agent writes to `fugue hook`. A field that is missing says nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PluginLine {
    /// What the agent is doing.
    pub report: Option<PluginReport>,
    /// The session that the user sees.
    pub session: Option<ConversationId>,
    /// Whether the last notification was answered by the model, or could not be submitted.
    pub taken: Option<bool>,
}

/// What an agent is doing, as fugue's plugin in it says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[allow(missing_docs, reason = "the fields of a report of a state")]
pub struct PluginReport {
    pub state: AgentState,
    pub reason: Option<String>,
    pub until: Option<Timestamp>,
    #[serde(default)]
    pub usage: AgentUsage,
    /// The whole command that the agent asks to run, if that is the only thing that it asks.
    #[serde(default)]
    pub command: Option<String>,
}

impl PluginLine {
    /// Reads a line; `None` if this version does not understand it.
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known_agent::KnownAgent;

    fn asked(agent: &str, input: &Value) -> Option<(String, Option<String>)> {
        let HookKind::Events(hooks) = &KnownAgent::find(agent)?.hooks else { return None };
        let input = HookInput::read(&input.to_string()).expect("an input");
        hooks.asked(&input).map(|asked| (asked.reason, asked.command))
    }

    #[test]
    fn the_command_that_an_agent_asks_to_run_is_reported_whole() {
        let bash = json!({ "tool_name": "Bash", "tool_input": { "command": "git status\ntouch x" } });
        let whole = Some("git status\ntouch x".to_owned());
        let reason = "approve Bash: git status\ntouch x".to_owned();
        assert_eq!(asked("claude", &bash), Some((reason.clone(), whole.clone())));
        assert_eq!(asked("codex", &bash), Some((reason, whole.clone())));
        let details = json!({ "type": "exec", "command": "git status\ntouch x" });
        let shell = json!({ "notification_type": "ToolPermission", "message": "Shell", "details": details });
        assert_eq!(asked("gemini", &shell), Some(("approve git status\ntouch x".into(), whole)));
    }

    #[test]
    fn another_request_for_permission_is_reported_without_a_command_and_a_question_not_at_all() {
        let edit = json!({ "tool_name": "Edit", "tool_input": { "file_path": "/a", "command": "id" } });
        assert_eq!(asked("claude", &edit), Some(("approve Edit: /a".into(), None)));
        let question = json!({ "tool_name": "AskUserQuestion", "tool_input": {} });
        assert_eq!(asked("claude", &question), None);
        let details = json!({ "type": "edit", "command": "id" });
        let edit = json!({ "notification_type": "ToolPermission", "message": "Edit a", "details": details });
        assert_eq!(asked("gemini", &edit), Some(("approve Edit a".into(), None)));
        let idle = json!({ "notification_type": "Idle", "message": "idle" });
        assert_eq!(asked("gemini", &idle), None);
    }

    #[test]
    fn a_plugin_runs_the_program_that_it_is_told_to_run() {
        let plugins = KnownAgent::all().iter().filter_map(|agent| match &agent.hooks {
            HookKind::Plugin(source) => Some(source.text("/my \"tools\"/fugue")),
            HookKind::Events(_) => None,
        });
        for text in plugins {
            assert!(PluginSource::is_plugin(&text), "{text}");
            assert!(text.contains(r#"const FUGUE = "/my \"tools\"/fugue""#), "{text}");
        }
    }
}
