//! Which sign is believed: the strongest, unless it is a report that has grown old and newer signs say otherwise.

use std::time::Duration;

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, AgentView, EvidenceSource};

use super::{Agent, Observation, unknown};

/// An agent that reports is believed for so long against weaker signs: it may be between two steps.
const REPORT: Duration = Duration::from_secs(120);

/// A hook tells of a moment, and some moments have none: after an interruption no agent fires one.
const HOOK: Duration = Duration::from_secs(10);

impl Agent {
    /// What is to be said of it now.
    pub(super) fn judge(&self, now: Timestamp) -> Option<AgentView> {
        let name = self.name()?;
        let Some(heard) = self.believed(now) else {
            return Some(self.lasting(unknown(name, now)));
        };
        let sign = &heard.sign;
        Some(self.lasting(AgentView {
            name: name.to_owned(),
            state: sign.state,
            since: heard.since,
            reason: sign.reason.clone(),
            waits_for: sign.waits_for,
            source: Some(sign.source),
            sure: sign.source.confidence(),
        }))
    }

    /// A state that goes on has begun when it began, whoever tells of it now.
    fn lasting(&self, view: AgentView) -> AgentView {
        let before =
            self.view.as_ref().filter(|before| before.state == view.state && before.name == view.name);
        let since = before.map_or(view.since, |before| before.since);
        AgentView { since, ..view }
    }

    /// Every sign, the strongest first.
    pub(super) fn all(&self) -> Vec<&Observation> {
        let mut all: Vec<_> = self.signs.iter().chain(&self.reports).collect();
        all.sort_by_key(|heard| heard.sign.source);
        all
    }

    /// The sign that counts.
    pub(super) fn believed(&self, now: Timestamp) -> Option<&Observation> {
        let all = self.all();
        let stands = |heard: &&&Observation| !self.gives_way(heard, now);
        all.iter().find(stands).copied().or_else(|| all.first().copied())
    }

    /// Whether a report is old and a newer sign contradicts it.
    pub(super) fn gives_way(&self, heard: &Observation, now: Timestamp) -> bool {
        fresh_for(heard.sign.source).is_some_and(|fresh| heard.since.after(fresh) <= now)
            && self.is_contradicted(heard)
    }

    /// Working is not resting. That something writes, or nothing does, contradicts nobody.
    fn is_contradicted(&self, heard: &Observation) -> bool {
        let working = |heard: &Observation| heard.sign.state == AgentState::Working;
        self.signs.iter().any(|other| {
            let weaker =
                other.sign.source > heard.sign.source && other.sign.source != EvidenceSource::Quiescence;
            weaker && other.since > heard.since && working(other) != working(heard)
        })
    }

    /// When time alone may change what is believed.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        let contradicted = self.reports.iter().filter(|heard| self.is_contradicted(heard));
        contradicted.filter_map(|heard| Some(heard.since.after(fresh_for(heard.sign.source)?))).min()
    }
}

/// How long a source is believed against newer, weaker ones; for as long as it says so when there is no limit.
pub(super) fn fresh_for(source: EvidenceSource) -> Option<Duration> {
    match source {
        EvidenceSource::Reported => Some(REPORT),
        EvidenceSource::Hook => Some(HOOK),
        _ => None,
    }
}
