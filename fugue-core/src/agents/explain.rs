//! `explain`: why an agent is in the state that is reported.

use fugue_protocol::agents::{Candidate, EvidenceSource, Explanation};
use fugue_protocol::verbs::Explain;
use fugue_protocol::{PaneId, Refusal, Timestamp};

use super::{Agent, Observation};
use crate::decision::Decision;
use crate::perform::Perform;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for Explain {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Explanation>, Refusal> {
        let pane = world.pane(&self.choice(), context)?;
        Ok(Decision::reply(pane.agent.explain(pane.id, context.now)))
    }
}

impl Agent {
    fn explain(&self, pane_id: PaneId, now: Timestamp) -> Explanation {
        let believed = self.believed(now);
        let candidates = self.all().into_iter().map(|heard| self.candidate(heard, believed, now));
        Explanation {
            pane_id,
            agent: self.view.clone(),
            why: self.why(now),
            known_by: self.known_by(),
            candidates: candidates.collect(),
        }
    }

    fn why(&self, now: Timestamp) -> String {
        let Some(view) = &self.view else { return "no agent is known to run here".into() };
        let name = &view.name;
        let seconds = now.since(view.since).as_secs();
        let Some(source) = view.source else {
            return format!("{name} runs here, and gives no sign of how it is doing");
        };
        let reason = view.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("{name} is {} for {seconds} s{reason}: {}", view.state, told_by(source))
    }

    fn known_by(&self) -> String {
        match (&self.program, self.reports.is_empty()) {
            (Some(name), _) => format!("{name} is in front of the terminal, or was started in it"),
            (None, false) => "it reports how it is doing".into(),
            (None, true) => "nothing".into(),
        }
    }

    fn candidate(&self, heard: &Observation, believed: Option<&Observation>, now: Timestamp) -> Candidate {
        let is = believed == Some(heard);
        let because = match believed {
            _ if is => format!("{}, and nothing stronger does", told_by(heard.sign.source)),
            _ if self.gives_way(heard, now) => "it is old, and a newer sign says otherwise".into(),
            Some(believed) => format!("weaker: {}", told_by(believed.sign.source)),
            None => String::new(),
        };
        let sign = heard.sign.clone();
        Candidate {
            source: sign.source,
            state: sign.state,
            reason: sign.reason,
            since: heard.since,
            believed: is,
            because,
        }
    }
}

fn told_by(source: EvidenceSource) -> &'static str {
    match source {
        EvidenceSource::Osc7501 => "the program tells its terminal so (OSC 7501)",
        EvidenceSource::Reported => "the agent reported so",
        EvidenceSource::Hook => "a hook of the agent's said so",
        EvidenceSource::Progress => "its progress bar says so (OSC 9;4)",
        EvidenceSource::Title => "its title says so",
        EvidenceSource::Screen => "its screen looks so",
        EvidenceSource::Quiescence => "it has written lately, or has not",
    }
}
