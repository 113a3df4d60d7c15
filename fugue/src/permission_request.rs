//! What the hook of an agent says about a tool: the one for which the agent asks permission, or one that has run.

use serde::Deserialize;
use serde_json::Value;

/// The most characters of a reason: more does not fit on a screen.
const MAX_REASON_CHARS: usize = 500;

/// The part of a hook's input that is about a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PermissionRequest {
    /// Claude Code and Codex: the tool and its arguments.
    tool_name: String,
    tool_input: Value,
    /// Gemini CLI: the kind of the notification, its text, and the details of the tool.
    notification_type: String,
    message: String,
    details: Value,
}

/// What an agent asks permission for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// What is asked, for people to read. It also identifies the request.
    pub(crate) reason: String,
    /// The whole command to run, if it is one.
    pub(crate) command: Option<String>,
}

/// The tool with which Claude Code asks questions of its own, which are no requests for permission.
const QUESTION: &str = "AskUserQuestion";

impl PermissionRequest {
    /// Returns what is asked; `None` if it is nothing that needs permission, or if it is not said.
    pub(crate) fn asked(&self, agent: &str) -> Option<Asked> {
        match agent {
            "gemini" => self.notified(),
            _ => self.tool(),
        }
    }

    fn tool(&self) -> Option<Asked> {
        let tool = Some(self.tool_name.as_str()).filter(|tool| !tool.is_empty() && *tool != QUESTION)?;
        let command = self.tool_input["command"].as_str().filter(|_| tool == "Bash").map(str::to_owned);
        let subject = command.as_deref().or(self.tool_input["file_path"].as_str());
        let subject = subject.map(|subject| format!(": {subject}")).unwrap_or_default();
        Some(Asked { reason: cut(&format!("approve {tool}{subject}")), command })
    }

    fn notified(&self) -> Option<Asked> {
        if self.notification_type != "ToolPermission" {
            return None;
        }
        let command = self.details["command"].as_str().filter(|_| self.details["type"] == "exec");
        let reason = command.unwrap_or(&self.message);
        Some(Asked { reason: cut(&format!("approve {reason}")), command: command.map(str::to_owned) })
    }
}

fn cut(reason: &str) -> String {
    reason.chars().take(MAX_REASON_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(agent: &str, input: Value) -> Option<(String, Option<String>)> {
        let request: PermissionRequest = serde_json::from_value(input).unwrap();
        request.asked(agent).map(|asked| (asked.reason, asked.command))
    }

    #[test]
    fn the_command_that_an_agent_asks_to_run_is_reported_whole() {
        let bash = json!({ "tool_name": "Bash", "tool_input": { "command": "git status\ntouch x" } });
        let whole = Some("git status\ntouch x".to_owned());
        let reason = "approve Bash: git status\ntouch x".to_owned();
        assert_eq!(asked("claude", bash.clone()), Some((reason.clone(), whole.clone())));
        assert_eq!(asked("codex", bash), Some((reason, whole.clone())));
        let details = json!({ "type": "exec", "command": "git status\ntouch x" });
        let shell = json!({ "notification_type": "ToolPermission", "message": "Shell", "details": details });
        assert_eq!(asked("gemini", shell), Some(("approve git status\ntouch x".into(), whole)));
    }

    #[test]
    fn another_request_for_permission_is_reported_without_a_command_and_a_question_not_at_all() {
        let edit = json!({ "tool_name": "Edit", "tool_input": { "file_path": "/a", "command": "id" } });
        assert_eq!(asked("claude", edit), Some(("approve Edit: /a".into(), None)));
        let question = json!({ "tool_name": "AskUserQuestion", "tool_input": {} });
        assert_eq!(asked("claude", question), None);
        let details = json!({ "type": "edit", "command": "id" });
        let edit = json!({ "notification_type": "ToolPermission", "message": "Edit a", "details": details });
        assert_eq!(asked("gemini", edit), Some(("approve Edit a".into(), None)));
        assert_eq!(asked("gemini", json!({ "notification_type": "Idle", "message": "idle" })), None);
    }
}
