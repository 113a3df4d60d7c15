//! `explain`: why an agent is in the state that is reported.

use fugue_protocol::agents::{Candidate, EvidenceSource, Explanation};
use fugue_protocol::verbs::Explain;
use fugue_protocol::{PaneId, Refusal, Timestamp};

use super::Perform;
use crate::agents::{Agent, Observation};
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::{Pane, World};

impl Perform for Explain {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Explanation>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let explanation = pane.agent.explain(pane.id, context.now);
        let rule = context.rules.why_not(pane).map(|why| format!("; {why}")).unwrap_or_default();
        Ok(Decision::reply(Explanation {
            conversation: pane.last_conversation().cloned(),
            why: explanation.why + &asked_now(pane) + &rule,
            ..explanation
        }))
    }
}

/// The question on the screen, if the agent's reason does not have it: of several questions, an agent may report only the
/// first one.
fn asked_now(pane: &Pane) -> String {
    let reason = pane.agent.view.as_ref().and_then(|agent| agent.reason.as_deref()).unwrap_or_default();
    let asked = pane.dialog.as_deref().map(|open| open.dialog.subject());
    let news = asked.filter(|asked| !reason.contains(asked.as_str()));
    news.map(|asked| format!("; its screen asks: {asked}")).unwrap_or_default()
}

impl Agent {
    fn explain(&self, pane_id: PaneId, now: Timestamp) -> Explanation {
        let believed = self.believed(now);
        let candidates = self.all().into_iter().map(|heard| self.candidate(heard, believed, now));
        Explanation {
            pane_id,
            agent: self.view.clone(),
            conversation: None,
            why: self.why(now),
            known_by: self.known_by(),
            candidates: candidates.collect(),
        }
    }

    fn why(&self, now: Timestamp) -> String {
        let Some(view) = &self.view else { return "no agent was detected in this pane".into() };
        let name = &view.name;
        let seconds = now.since(view.since).as_secs();
        let Some(source) = view.source else {
            return format!("{name} is running, but there is no evidence of its state");
        };
        let reason = view.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("{name}: {} for {seconds} s{reason}, according to {}", view.state, named(source))
    }

    fn known_by(&self) -> String {
        match (&self.program, self.reports.is_empty()) {
            (Some(name), _) => {
                format!("{name}, which is running in the foreground or was started as the pane's program")
            }
            (None, false) => "the program's own state reports".into(),
            (None, true) => String::new(),
        }
    }

    fn candidate(&self, heard: &Observation, believed: Option<&Observation>, now: Timestamp) -> Candidate {
        let is = believed == Some(heard);
        let because = match believed {
            _ if is => "the strongest evidence".into(),
            _ if self.gives_way(heard, now) => "outdated: newer evidence contradicts it".into(),
            Some(believed) => format!("weaker than {}", named(believed.sign.source)),
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

fn named(source: EvidenceSource) -> &'static str {
    match source {
        EvidenceSource::Notice => "a dialog or an error on its screen",
        EvidenceSource::Osc7501 => "its state report (OSC 7501)",
        EvidenceSource::Plugin => "its plugin",
        EvidenceSource::Reported => "its `report-status`",
        EvidenceSource::Hook => "its hooks",
        EvidenceSource::Progress => "its progress bar (OSC 9;4)",
        EvidenceSource::Title => "its title",
        EvidenceSource::Screen => "its screen",
        EvidenceSource::Quiescence => "its recent output",
    }
}
