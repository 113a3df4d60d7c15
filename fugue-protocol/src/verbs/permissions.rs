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
/// The answer is typed only if the dialog shown by `fugue permissions` is still open.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AnswerPermission {
    /// Id of the dialog, as shown by `fugue permissions`.
    pub dialog: String,
    /// Number of the choice, or the beginning of its text.
    ///
    /// In a dialog in which several choices can be checked, this checks one or unchecks it; `Submit` finishes the dialog.
    pub choice: String,
    /// An answer of your own, for a choice into which one can be typed. One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub text: Option<String>,
}
