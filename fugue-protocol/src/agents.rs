//! Agents: the state of the agent in a pane, and the evidence for it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::conversation::Conversation;

/// The state of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AgentState {
    /// It has nothing to do.
    Idle,
    /// It is working.
    Working,
    /// It asked a question and is waiting for the answer.
    WaitingForInput,
    /// It cannot continue without permission, a login or help.
    Blocked,
    /// It has finished its task.
    Complete,
    /// It failed.
    Error,
    /// There is an agent, but no evidence of its state.
    Unknown,
}

/// How urgently something needs a person, the most urgent first: the order in which every list shows agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// It waits for a person.
    NeedsPerson,
    /// It failed.
    Failed,
    /// It has finished.
    Done,
    /// It is working.
    Working,
    /// It has nothing to do.
    Idle,
    /// Its state is not known.
    Unknown,
}

impl AgentState {
    /// Every state by its name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("idle", Self::Idle),
        ("working", Self::Working),
        ("waiting_for_input", Self::WaitingForInput),
        ("blocked", Self::Blocked),
        ("complete", Self::Complete),
        ("error", Self::Error),
        ("unknown", Self::Unknown),
    ];

    /// The state in one or a few words. [`AgentView::state_words`] also says what a blocked agent needs.
    pub fn words(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::WaitingForInput => "waiting for input",
            Self::Blocked => "blocked",
            Self::Complete => "done",
            Self::Error => "failed",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }

    /// Whether it is waiting for someone to act.
    pub fn needs_somebody(self) -> bool {
        matches!(self, Self::WaitingForInput | Self::Blocked)
    }

    /// How urgently an agent in this state needs a person.
    pub fn urgency(self) -> Urgency {
        match self {
            Self::WaitingForInput | Self::Blocked => Urgency::NeedsPerson,
            Self::Error => Urgency::Failed,
            Self::Complete => Urgency::Done,
            Self::Working => Urgency::Working,
            Self::Idle => Urgency::Idle,
            Self::Unknown => Urgency::Unknown,
        }
    }

    /// Whether it can take new work: nothing is in progress, and no question is open.
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
        let wanted = text.replace(['-', ' '], "_");
        let is_meant = |name: &str, state: Self| name == wanted || state.words().replace(' ', "_") == wanted;
        let found = Self::NAMES.iter().find(|(name, state)| is_meant(name, *state));
        found.map(|(_, state)| *state).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is not one of {}", names.join(", "))
        })
    }
}

/// A source of evidence for an agent's state, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EvidenceSource {
    /// A dialog or an error message on its screen that the program does not report.
    Notice,
    /// The program itself, by OSC 7501.
    Osc7501,
    /// The agent's plugin, with `report-state`.
    Plugin,
    /// The agent, with `report-status`.
    Reported,
    /// The agent's lifecycle hooks.
    Hook,
    /// A progress bar (OSC 9;4).
    Progress,
    /// Its title.
    Title,
    /// The contents of its screen.
    Screen,
    /// Whether it produces output.
    Quiescence,
}

impl EvidenceSource {
    /// How much confidence the source deserves.
    pub fn confidence(self) -> Confidence {
        match self {
            Self::Osc7501 | Self::Plugin | Self::Reported | Self::Hook => Confidence::Certain,
            Self::Notice | Self::Progress | Self::Title => Confidence::Likely,
            Self::Screen | Self::Quiescence => Confidence::Guess,
        }
    }
}

/// How certain a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Confidence {
    /// The agent reported it.
    Certain,
    /// There is direct evidence.
    Likely,
    /// It is inferred.
    Guess,
}

/// What an agent needs before it can continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WaitsFor {
    /// Permission, which only a person may give.
    Permission,
    /// An answer to a question.
    Answer,
    /// A login.
    Login,
}

/// An agent in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct AgentView {
    /// Name of the agent: claude, codex, gemini, opencode, or as the program reports it.
    pub name: String,
    /// State.
    pub state: AgentState,
    /// When the agent entered this state.
    pub since: Timestamp,
    /// The reason for the state, in the agent's own words if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// What the agent is waiting for, if it is blocked or waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WaitsFor")]
    pub waits_for: Option<WaitsFor>,
    /// When the state is expected to end, for example when the agent retries after a rate limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Timestamp")]
    pub until: Option<Timestamp>,
    /// Source of the evidence; omitted if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EvidenceSource")]
    pub source: Option<EvidenceSource>,
    /// Confidence.
    pub sure: Confidence,
    /// What its conversation has used so far; omitted if the agent does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentUsage")]
    pub usage: Option<AgentUsage>,
}

impl AgentView {
    /// The state in a few words, as every list shows it to a person.
    pub fn state_words(&self) -> &'static str {
        match (self.state, self.waits_for) {
            (AgentState::Blocked, Some(WaitsFor::Permission)) => "needs approval",
            (AgentState::Blocked, Some(WaitsFor::Login)) => "needs login",
            (state, _) => state.words(),
        }
    }
}

/// What an agent's conversation has used so far, as the agent itself counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct AgentUsage {
    /// Tokens in the context of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub context_tokens: Option<u64>,
    /// Cost, in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cost_micros: Option<u64>,
}

impl AgentUsage {
    /// The usage; none if nothing is known about it.
    pub fn of(context_tokens: Option<u64>, cost_micros: Option<u64>) -> Option<Self> {
        (context_tokens.is_some() || cost_micros.is_some()).then_some(Self { context_tokens, cost_micros })
    }
}

impl fmt::Display for AgentUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.context_tokens.map(|tokens| match tokens {
            0..1_000 => format!("{tokens} tokens"),
            _ => format!("{}k tokens", (tokens + 500) / 1_000),
        });
        let cost = self.cost_micros.map(|micros| {
            let cents = (micros + 5_000) / 10_000;
            format!("${}.{:02}", cents / 100, cents % 100)
        });
        f.write_str(&tokens.into_iter().chain(cost).collect::<Vec<_>>().join(", "))
    }
}

/// A piece of evidence for an agent's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Evidence {
    pub source: EvidenceSource,
    pub state: AgentState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitsFor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<AgentUsage>,
    /// The whole command that the agent asks to run, if it reports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Evidence {
    /// Evidence without details.
    pub fn new(source: EvidenceSource, state: AgentState) -> Self {
        Self { source, state, reason: None, waits_for: None, until: None, usage: None, command: None }
    }
}

/// A piece of evidence, and whether it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Candidate {
    /// Source of the evidence.
    pub source: EvidenceSource,
    /// The state that the evidence suggests.
    pub state: AgentState,
    /// The reason that the evidence gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// When the evidence first suggested this state.
    pub since: Timestamp,
    /// Whether the agent's state is based on this evidence.
    pub believed: bool,
    /// Why the evidence was used or ignored.
    pub because: String,
}

/// An agent's state and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The pane.
    pub pane_id: crate::PaneId,
    /// The agent and its state; omitted if there is no agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentView")]
    pub agent: Option<AgentView>,
    /// The agent's conversation, or that of the last agent in the pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conversation")]
    pub conversation: Option<Conversation>,
    /// The agent's state in one sentence.
    pub why: String,
    /// How the agent was recognized; empty if none was.
    pub known_by: String,
    /// All evidence, strongest first.
    pub candidates: Vec<Candidate>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_shown_in_rounded_thousands_and_cents() {
        let shown = |tokens, cost| AgentUsage::of(tokens, cost).map(|usage| usage.to_string());
        assert_eq!(shown(Some(12_345), Some(1_239_000)).as_deref(), Some("12k tokens, $1.24"));
        assert_eq!((shown(Some(999), None).as_deref(), shown(None, None)), (Some("999 tokens"), None));
        assert_eq!(shown(None, Some(0)).as_deref(), Some("$0.00"));
    }
}
