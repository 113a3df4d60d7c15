//! The state of agents in panes. Evidence comes in, the most credible one counts, and only changes become events.
//! Pure: the edge looks at screens and processes, and the evidence is judged here.

use fugue_protocol::agents::{AgentState, AgentView, Confidence, Evidence, EvidenceSource, WaitsFor};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, PaneId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::world::{Pane, World};

#[cfg(test)]
mod captured_screens;
mod composer;
mod dialog;
mod explain;
mod judgment;
mod known_agents;
pub(crate) mod named_conversation;
pub(crate) mod resume;
mod screens;
mod source_combination;
pub(crate) mod start;
mod table;
#[cfg(test)]
mod tests;
mod titles;

pub(crate) use composer::has_known_composer;
pub use composer::{Composer, composer};
pub use dialog::{SelectionKeys, dialog, selection_keys};
pub use known_agents::{SETUP_NAME, canonical, name_of};
pub(crate) use known_agents::{agent_at, launched};
pub use source_combination::{combined, keep_ends};
pub use table::{AgentTable, TableMistake};

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

impl From<&AgentView> for AgentSummary {
    fn from(view: &AgentView) -> Self {
        let AgentView { state, waits_for, since, sure, .. } = *view;
        Self { name: composer::known(&view.name), state, waits_for, since, sure }
    }
}

/// A piece of evidence and the time since when it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Observation {
    pub sign: Evidence,
    pub since: Timestamp,
}

/// The foreground of a pane's terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Front {
    /// It is unknown.
    #[default]
    Hidden,
    /// A shell at its prompt.
    Shell,
    /// No agent: a program started from a shell.
    Other,
    /// The program of the pane or an agent, by its command.
    Program(Vec<String>),
    /// An agent that identifies itself.
    Named(String),
}

/// A report by an agent, its plugin or one of its hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Report {
    pub sign: Evidence,
    /// The agent's name, if the report has it.
    pub name: Option<String>,
}

/// The events that follow from a look at a pane.
pub(crate) fn seen(
    world: &World,
    pane: PaneId,
    front: &Front,
    signs: Vec<Evidence>,
    at: Timestamp,
) -> Vec<Event> {
    let Some(pane) = world.panes.get(&pane).filter(|pane| pane.run().is_some()) else { return Vec::new() };
    let program = known_agents::in_front(front, &pane.launch);
    let told = pane.agent.signs.iter().map(|heard| &heard.sign);
    let news = pane.agent.program != program || !told.eq(signs.iter());
    let seen = news.then_some(Event::AgentSeen { pane: pane.id, at, program, signs });
    let mut events = with_consequence(pane, seen, at);
    events.extend(named(pane, front));
    events
}

/// The conversation that the command line of an agent names, unless one is known: the agent may have begun another since.
fn named(pane: &Pane, front: &Front) -> Option<Event> {
    let Front::Program(words) = front else { return None };
    let conversation = named_conversation::in_words(words).filter(|_| pane.conversation.is_none())?;
    Some(Event::ConversationReported { pane: pane.id, conversation })
}

/// The events that follow from a report.
pub(crate) fn reported(pane: &Pane, report: Report, at: Timestamp) -> Vec<Event> {
    let Report { sign, name } = report;
    with_consequence(pane, Some(Event::AgentReported { pane: pane.id, at, name, sign }), at)
}

/// The events that follow from time alone: an old report may be overruled.
pub(crate) fn woken(world: &World, now: Timestamp) -> Vec<Event> {
    let reporting = world.panes.values().filter(|pane| !pane.agent.reports.is_empty());
    reporting.flat_map(|pane| with_consequence(pane, None, now)).collect()
}

fn with_consequence(pane: &Pane, event: Option<Event>, now: Timestamp) -> Vec<Event> {
    let mut agent = pane.agent.clone();
    event.iter().for_each(|event| agent.evolve(event));
    let judged = agent.judge(now);
    let changed = (judged != agent.view).then_some(Event::AgentStateChanged { pane: pane.id, agent: judged });
    event.into_iter().chain(changed).collect()
}

impl Agent {
    /// Applies an event to the agent.
    pub(crate) fn evolve(&mut self, event: &Event) {
        match event {
            Event::AgentSeen { at, program, signs, .. } => self.see(*at, program.as_deref(), signs),
            Event::AgentReported { at, name, sign, .. } => self.hear(*at, name.as_deref(), sign),
            Event::AgentStateChanged { agent, .. } => self.view.clone_from(agent),
            _ => {}
        }
    }

    fn see(&mut self, at: Timestamp, program: Option<&str>, signs: &[Evidence]) {
        if self.program.is_some() && program.is_none() {
            // The agent is gone, and its reports with it.
            self.reports.clear();
            self.reported_name = None;
        }
        let before = std::mem::take(&mut self.signs);
        let since =
            |sign: &Evidence| before.iter().find(|heard| heard.sign == *sign).map_or(at, |heard| heard.since);
        self.signs =
            signs.iter().map(|sign| Observation { sign: sign.clone(), since: since(sign) }).collect();
        self.program = program.map(str::to_owned);
    }

    fn hear(&mut self, since: Timestamp, name: Option<&str>, sign: &Evidence) {
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
            || self.signs.iter().any(|heard| heard.sign.source == EvidenceSource::Osc7501);
        let reported = self.reported_name.as_deref();
        self.program.as_deref().or(reported).or(said.then_some("agent"))
    }
}

fn unknown(name: &str, since: Timestamp) -> AgentView {
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
