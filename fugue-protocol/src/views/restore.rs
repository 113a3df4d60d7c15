//! Programs that were lost, and their restoration.

use super::*;

/// A program that was lost with the keeper, for example in a reboot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LostProgram {
    /// The command line that `restore-panes` would start; omitted if it would start none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub restart: Option<String>,
    /// The agent that was running, in its last known state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentView")]
    pub agent: Option<AgentView>,
    /// The agent's conversation, if the agent reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conversation")]
    pub conversation: Option<Conversation>,
    /// Processes of the pane that were still running, without a terminal, when the daemon started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub survivors: Vec<Survivor>,
}

/// A process of a lost pane that still runs, without a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Survivor {
    /// Process id.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub pid: u32,
    /// The process's command line.
    pub command: String,
}

impl fmt::Display for Survivor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} ({})", self.pid, self.command)
    }
}

/// What `restore-panes` started, and what it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestoredPanes {
    /// The programs that were restarted.
    pub restored: Vec<RestoredPane>,
    /// The lost programs that were not restarted.
    pub skipped: Vec<SkippedPane>,
}

/// A program that was started again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RestoredPane {
    /// The pane.
    pub pane_id: PaneId,
    /// The pane's number in tmux's notation: `%NUMBER`.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub number: u64,
    /// The pane's session.
    pub session_name: SessionName,
    /// The command line that was started.
    pub command: String,
    /// The directory that it was started in.
    pub cwd: String,
    /// True if an agent resumed its conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumed: bool,
    /// What differs from before, or remains to be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A lost program that was not started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SkippedPane {
    /// The pane.
    pub pane_id: PaneId,
    /// The pane's number in tmux's notation: `%NUMBER`.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub number: u64,
    /// The pane's session.
    pub session_name: SessionName,
    /// The command line that was lost.
    pub command: String,
    /// Why it was not started.
    pub why: String,
}
