//! The choice among evidence: the strongest counts, unless it is an old report that newer evidence contradicts.

use std::time::Duration;

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, AgentView, EvidenceSource};

use super::agent::{Agent, Observation, unknown};

/// A report counts for this long against weaker evidence: the agent may be between two steps.
const REPORT: Duration = Duration::from_secs(120);

/// A hook reports a moment, and some moments have no hook: no agent runs one after an interruption.
const HOOK: Duration = Duration::from_secs(10);

impl Agent {
    /// The current state of the agent.
    pub(crate) fn judge(&self, now: Timestamp) -> Option<AgentView> {
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
            until: sign.until,
            source: Some(sign.source),
            sure: sign.source.confidence(),
            usage: self.reports.iter().find_map(|heard| heard.sign.usage),
        }))
    }

    /// A state that continues keeps its start time, whatever the current evidence is.
    fn lasting(&self, view: AgentView) -> AgentView {
        let before =
            self.view.as_ref().filter(|before| before.state == view.state && before.name == view.name);
        let since = before.map_or(view.since, |before| before.since);
        AgentView { since, ..view }
    }

    /// All evidence, the strongest first.
    pub(crate) fn all(&self) -> Vec<&Observation> {
        let mut all: Vec<_> = self.signs.iter().chain(&self.reports).chain(&self.asked).collect();
        all.sort_by_key(|heard| heard.sign.source);
        all
    }

    /// The evidence that counts. What hooks report that the agent asks counts until it is over: what is on the terminal may
    /// be another program's.
    pub(crate) fn believed(&self, now: Timestamp) -> Option<&Observation> {
        let all = self.all();
        let stands = |heard: &&&Observation| !self.gives_way(heard, now);
        let strongest = all.iter().find(stands).copied().or_else(|| all.first().copied());
        let is_blocked = strongest.is_some_and(|heard| heard.sign.state == AgentState::Blocked);
        self.asked.first().filter(|_| !is_blocked).or(strongest)
    }

    /// Whether a report is old and newer evidence contradicts it.
    pub(crate) fn gives_way(&self, heard: &Observation, now: Timestamp) -> bool {
        fresh_for(heard.sign.source).is_some_and(|fresh| heard.since.after(fresh) <= now)
            && self.is_contradicted(heard)
    }

    /// Working contradicts being idle. Mere output, or its absence, contradicts nothing.
    fn is_contradicted(&self, heard: &Observation) -> bool {
        let working = |heard: &Observation| heard.sign.state == AgentState::Working;
        self.signs.iter().any(|other| {
            let weaker =
                other.sign.source > heard.sign.source && other.sign.source != EvidenceSource::Quiescence;
            weaker && other.since > heard.since && working(other) != working(heard)
        })
    }

    /// The next time at which the state may change without new evidence, given that it was last judged at this time.
    pub(crate) fn due(&self, judged_at: Timestamp) -> Option<Timestamp> {
        let contradicted = self.reports.iter().filter(|heard| self.is_contradicted(heard));
        let ends = contradicted.filter_map(|heard| Some(heard.since.after(fresh_for(heard.sign.source)?)));
        ends.filter(|end| *end > judged_at).min()
    }
}

/// How long a source counts against newer, weaker ones; without a limit, until it reports something else.
fn fresh_for(source: EvidenceSource) -> Option<Duration> {
    match source {
        EvidenceSource::Reported => Some(REPORT),
        EvidenceSource::Hook => Some(HOOK),
        _ => None,
    }
}
