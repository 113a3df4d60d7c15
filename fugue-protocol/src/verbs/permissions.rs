//! Dialogs in which agents ask the user, and answers to them.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List agents' open dialogs and their choices.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListPermissions {}

/// Answer an agent's dialog.
///
/// The keys are pressed only if the dialog is still the one that `fugue permissions` showed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AnswerPermission {
    /// Id of the dialog, as `fugue permissions` shows it.
    pub dialog: String,
    /// Number of the choice, or the beginning of its text.
    pub choice: String,
}
