//! What is known about the agent in a pane, and how events change it.

use fugue_agents::{KnownAgent, canonical};
use fugue_protocol::agents::{AgentState, AgentView, Confidence, Evidence, EvidenceSource, WaitsFor};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, Timestamp};
use serde::{Deserialize, Serialize};

/// Everything known about the agent in a pane.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// The reported state; none when there is no agent.
    pub view: Option<AgentView>,
    /// The reports of the agent and its hooks.
    #[serde(default)]
    pub reports: Vec<Observation>,
    /// The name given in a report.
    #[serde(default)]
    pub reported_name: Option<String>,
    /// The agent that was in the foreground at the last report. Its reports end with it, even if nobody saw the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_by: Option<String>,
    /// What its hooks report that it asks, the oldest first. Not stored: what nobody saw answered, a person answers.
    #[serde(skip)]
    pub asked: Vec<Observation>,
    /// The agent in the foreground, by its processes or title. Not stored, because the next look finds it again.
    #[serde(skip)]
    pub program: Option<String>,
    /// Evidence from the screen, not stored either.
    #[serde(skip)]
    pub signs: Vec<Observation>,
}

/// What a pane's task needs to know about its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct AgentSummary {
    /// Its name, if its input field and its dialogs are known.
    pub name: Option<&'static str>,
    pub state: AgentState,
    pub waits_for: Option<WaitsFor>,
    pub since: Timestamp,
    pub sure: Confidence,
}

impl AgentSummary {
    /// Whether the agent reports, or is seen, to need something that only the user may give.
    pub fn asks_user(self) -> bool {
        asks_user(self.state, self.waits_for)
    }
}

/// Whether an agent in this state needs permission or a login, or is blocked by something else.
pub(crate) fn asks_user(state: AgentState, waits_for: Option<WaitsFor>) -> bool {
    matches!(waits_for, Some(WaitsFor::Permission | WaitsFor::Login))
        || (state == AgentState::Blocked && waits_for.is_none())
}

/// How many requests of an agent are kept: agents run a few tools at a time.
const MAX_ASKED: usize = 16;

impl From<&AgentView> for AgentSummary {
    fn from(view: &AgentView) -> Self {
        let AgentView { state, waits_for, since, sure, .. } = *view;
        let known = KnownAgent::find(&view.name);
        Self { name: known.map(|agent| agent.name), state, waits_for, since, sure }
    }
}

/// A piece of evidence and the time since when it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Observation {
    pub sign: Evidence,
    pub since: Timestamp,
}

impl Agent {
    /// Applies an event to the agent.
    pub(crate) fn evolve(&mut self, event: &Event) {
        match event {
            Event::AgentSeen { at, program, signs, .. } => self.see(*at, program.as_deref(), signs),
            Event::AgentReported { at, name, sign, program, .. } => {
                self.hear(*at, name.as_deref(), sign);
                if sign.source != EvidenceSource::Hook {
                    self.reported_by = program.clone().filter(|_| !self.reports.is_empty());
                }
            }
            Event::AgentStateChanged { agent, .. } => self.view.clone_from(agent),
            _ => {}
        }
    }

    pub(super) fn see(&mut self, at: Timestamp, program: Option<&str>, signs: &[Evidence]) {
        let before = std::mem::take(&mut self.signs);
        let since =
            |sign: &Evidence| before.iter().find(|heard| heard.sign == *sign).map_or(at, |heard| heard.since);
        self.signs =
            signs.iter().map(|sign| Observation { sign: sign.clone(), since: since(sign) }).collect();
        self.program = program.map(str::to_owned);
    }

    /// The command that it reports to ask for; none if it reports more than one request, or one for something else.
    pub(crate) fn asked_command(&self) -> Option<&str> {
        let is_request = |heard: &&Observation| {
            heard.sign.source == EvidenceSource::Plugin && heard.sign.state == AgentState::Blocked
        };
        let mut requests = self.asked.iter().chain(self.reports.iter().filter(is_request));
        let only = requests.next().filter(|_| requests.next().is_none())?;
        only.sign.command.as_deref()
    }

    /// The sources of the reports that end because the agent that made them is not in the foreground any more.
    pub(crate) fn outlived(&self, program: Option<&str>) -> Vec<EvidenceSource> {
        let is_gone = program.is_none() && (self.program.is_some() || self.reported_by.is_some());
        let asked = self.asked.first();
        self.reports.iter().chain(asked).filter(|_| is_gone).map(|heard| heard.sign.source).collect()
    }

    pub(super) fn hear(&mut self, since: Timestamp, name: Option<&str>, sign: &Evidence) {
        if sign.source == EvidenceSource::Hook && sign.state == AgentState::Blocked {
            self.asked.push(Observation { sign: sign.clone(), since });
            // An agent asks one thing after another. Of more than that, the newest matter.
            let dropped = self.asked.len().saturating_sub(MAX_ASKED);
            self.asked.drain(..dropped);
            return;
        }
        if sign.source == EvidenceSource::Hook {
            self.asked.retain(|asked| sign.reason.is_some() && asked.sign.reason != sign.reason);
        }
        self.reports.retain(|heard| heard.sign.source != sign.source);
        // An agent that reports `unknown` withdraws what it said.
        if sign.state == AgentState::Unknown {
            self.reported_name.take_if(|_| self.reports.is_empty());
            return;
        }
        self.reports.push(Observation { sign: sign.clone(), since });
        if let Some(name) = name {
            self.reported_name = Some(canonical(name).to_owned());
        }
    }

    /// The program has ended: a state in progress is cleared, a final one stays. An agent that was killed or failed, or whose
    /// end nobody saw, has completed nothing.
    pub(crate) fn ended(&mut self, exit: ExitStatus) {
        let last = self.view.take();
        *self = Self::default();
        self.view = last.filter(|view| match view.state {
            AgentState::Complete => exit == ExitStatus::Code(0),
            state => state == AgentState::Error,
        });
    }

    /// The agent's name; none when nothing indicates an agent.
    pub fn name(&self) -> Option<&str> {
        let said = !self.reports.is_empty()
            || !self.asked.is_empty()
            || self.signs.iter().any(|heard| heard.sign.source == EvidenceSource::Osc7501);
        let reported = self.reported_name.as_deref();
        self.program.as_deref().or(reported).or(said.then_some("agent"))
    }
}

/// The view of an agent of whose state nothing is known.
pub(super) fn unknown(name: &str, since: Timestamp) -> AgentView {
    AgentView {
        name: name.to_owned(),
        state: AgentState::Unknown,
        since,
        reason: None,
        waits_for: None,
        until: None,
        source: None,
        sure: Confidence::Guess,
        usage: None,
    }
}
