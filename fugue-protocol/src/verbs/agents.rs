//! Agents: how they are doing, and why that is believed.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PaneChoice;
use crate::{PaneRef, SessionRef};

/// Explain how a pane's agent is doing: its state, since when, who says so, and what else was seen.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Explain {
    /// Pane id (or its last digits) or name; the caller's own, or the current pane of the session, when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Session name or id: its current pane is meant.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

impl Explain {
    /// Which pane is meant.
    pub fn choice(&self) -> PaneChoice {
        PaneChoice { pane: self.pane.clone(), session: self.session.clone() }
    }
}
