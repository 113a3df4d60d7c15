//! The reply for an agent that was started.

use super::*;
use crate::dialogs::Dialog;

/// How far an agent got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SpawnStatus {
    /// It was started on another host, which knows its state.
    Started,
    /// It is waiting for input.
    Ready,
    /// It has accepted the prompt.
    PromptAccepted,
    /// Its turn has ended.
    Done,
    /// It is showing a dialog, which only a person may answer, or asking a question.
    Dialog,
    /// It reports an error.
    Failed,
    /// Its program has exited.
    Exited,
    /// The worktree's setup command failed, so the agent was not started.
    SetupFailed,
    /// Its pane was closed.
    Closed,
    /// The time limit passed. The agent is still running.
    Timeout,
}

/// Where the last message of an agent was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum LastMessageSource {
    /// In the agent's own record of the conversation.
    Conversation,
    /// On its screen.
    Screen,
}

/// What an agent said last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LastMessage {
    /// The text.
    pub text: String,
    /// Where it was read: in the agent's own record of the conversation, or on its screen.
    pub source: LastMessageSource,
}

/// An agent that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpawnedAgent {
    /// How far startup got: ready, prompt_accepted, done, dialog, …
    pub status: SpawnStatus,
    /// The same in a sentence, with the reason.
    pub reason: String,
    /// The agent's pane.
    pub pane_id: PaneId,
    /// The pane's session.
    pub session_id: SessionId,
    /// The session's name.
    pub session_name: SessionName,
    /// The pane's window.
    pub window_id: WindowId,
    /// The worktree that the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionWorktree")]
    pub worktree: Option<SessionWorktree>,
    /// The agent's state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentView")]
    pub agent: Option<AgentView>,
    /// The agent's conversation, if its id is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conversation")]
    pub conversation: Option<Conversation>,
    /// Id of the dialog, for `fugue answer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub dialog_id: Option<String>,
    /// The dialog as the screen shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Dialog")]
    pub dialog: Option<Dialog>,
    /// How the program or the setup command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// What the agent said last, if the call waited for the end of its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LastMessage")]
    pub last_message: Option<LastMessage>,
    /// The last lines of the pane, if the agent is not ready.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_lines: String,
    /// Number of ignored files that were copied to the worktree (.worktreeinclude).
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub copied_files: usize,
    /// How long the call took, in milliseconds.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
