//! Replies about dialogs in which agents ask the user.

use super::*;
use crate::agents::AgentState;
use crate::dialogs::Dialog;

/// What agents ask the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionList {
    /// The agents that wait for the user, the one that has waited longest first.
    pub permissions: Vec<PermissionView>,
}

/// An agent that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PermissionView {
    /// Id of the dialog. Omitted if the dialog could not be read from the screen; then it is answered in the pane itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub dialog_id: Option<String>,
    /// The agent's pane.
    pub pane_id: PaneId,
    /// The name of the pane's session.
    pub session_name: SessionName,
    /// Name of the agent.
    pub agent: String,
    /// Since when the agent waits.
    pub since: Timestamp,
    /// What the agent itself reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// The dialog as the screen shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Dialog")]
    pub dialog: Option<Dialog>,
    /// Why a rule that covers the dialog does not answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub rule: Option<String>,
}

/// A dialog that was answered: it is gone from the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAnswered {
    /// The agent's pane.
    pub pane_id: PaneId,
    /// Text of the choice.
    pub choice: String,
    /// State of the agent afterwards, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentState")]
    pub state: Option<AgentState>,
    /// The dialog that came next, if any, is listed by `fugue permissions`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_again: bool,
    /// Whether the choice is checked now, in a dialog in which several can be. The dialog is still open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub checked: Option<bool>,
}
