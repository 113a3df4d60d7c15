//! Agents: how the program in a pane is doing, as the program itself or the signs it gives tell.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// OfferedVia an agent is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AgentState {
    /// It has nothing to do.
    Idle,
    /// It works.
    Working,
    /// It asked something and waits for the answer.
    WaitingForInput,
    /// It cannot go on without leave, a login, or help.
    Blocked,
    /// It did what it was asked to do, and nobody has asked for more.
    Complete,
    /// It failed.
    Error,
    /// There is an agent, and no sign of how it is doing.
    Unknown,
}

impl AgentState {
    /// Every state, by its name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("idle", Self::Idle),
        ("working", Self::Working),
        ("waiting_for_input", Self::WaitingForInput),
        ("blocked", Self::Blocked),
        ("complete", Self::Complete),
        ("error", Self::Error),
        ("unknown", Self::Unknown),
    ];

    /// Whether somebody has to do something before it goes on.
    pub fn needs_somebody(self) -> bool {
        matches!(self, Self::WaitingForInput | Self::Blocked)
    }

    /// Whether it takes new work: nothing is under way, and nothing is asked.
    pub fn is_at_rest(self) -> bool {
        matches!(self, Self::Idle | Self::Complete | Self::Error)
    }
}

impl fmt::Display for AgentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, state)| state == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for AgentState {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text.replace('-', "_"));
        found.map(|(_, state)| *state).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is none of {}", names.join(", "))
        })
    }
}

/// Who says how an agent is doing; the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EvidenceSource {
    /// The program itself, to its terminal (OSC 7501).
    Osc7501,
    /// The agent, by `report-status`.
    Reported,
    /// The agent's lifecycle hooks.
    Hook,
    /// A progress bar (OSC 9;4).
    Progress,
    /// A sign in its title.
    Title,
    /// What its screen shows.
    Screen,
    /// Whether it writes anything.
    Quiescence,
}

impl EvidenceSource {
    /// OfferedVia far it is to be believed.
    pub fn sureness(self) -> Confidence {
        match self {
            Self::Osc7501 | Self::Reported | Self::Hook => Confidence::Certain,
            Self::Progress | Self::Title => Confidence::Likely,
            Self::Screen | Self::Quiescence => Confidence::Guess,
        }
    }
}

/// OfferedVia sure a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Confidence {
    /// The agent said so.
    Certain,
    /// It gave a sign that means so.
    Likely,
    /// It looks so.
    Guess,
}

/// What an agent waits for before it can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WaitsFor {
    /// Leave to do something: a person's to give, never another agent's.
    Permission,
    /// An answer.
    Answer,
    /// A login.
    Login,
}

/// An agent in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct AgentView {
    /// Which agent: claude, codex, gemini, opencode, or what the program calls itself.
    pub name: String,
    /// OfferedVia it is doing.
    pub state: AgentState,
    /// Since when.
    pub since: Timestamp,
    /// Why, in its own words where it gave any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// What it waits for, when it is blocked or waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WaitsFor")]
    pub waits_for: Option<WaitsFor>,
    /// Who says so; left out when nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EvidenceSource")]
    pub source: Option<EvidenceSource>,
    /// OfferedVia sure that is.
    pub sure: Confidence,
}

/// One sign of how an agent is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Evidence {
    pub source: EvidenceSource,
    pub state: AgentState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitsFor>,
}

/// One sign, and whether it is believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Candidate {
    /// Who says it.
    pub source: EvidenceSource,
    /// What it says.
    pub state: AgentState,
    /// In which words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// Since when.
    pub since: Timestamp,
    /// Whether it is the one that counts.
    pub believed: bool,
    /// Why it counts, or why it does not.
    pub because: String,
}

/// Why a pane's agent is said to be as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The pane.
    pub pane_id: crate::PaneId,
    /// What is said of it; left out when there is no agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentView")]
    pub agent: Option<AgentView>,
    /// The same in a sentence.
    pub why: String,
    /// OfferedVia the agent is known to be one.
    pub known_by: String,
    /// Every sign there is, the strongest first.
    pub candidates: Vec<Candidate>,
}
