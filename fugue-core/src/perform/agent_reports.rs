//! Verbs with which agents, their hooks and their plugins report on the agent in their own pane.

use fugue_protocol::agents::{AgentState, AgentUsage, Evidence, EvidenceSource, WaitsFor};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::verbs::{ReportConversation, ReportState};
use fugue_protocol::views::Done;
use fugue_protocol::{Event, Refusal};

use super::Perform;
use crate::agent_events::{Report, reported};
use crate::agents::canonical;
use crate::decision::Decision;
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::{Pane, World};

impl Perform for ReportConversation {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        recipients::sender_inside(world, context)?;
        if context.caller.is_nested() {
            return Ok(Decision::done());
        }
        let own = Conversation { agent: self.agent, id: self.id };
        Ok(Decision::done().events(conversation(own, world, context)))
    }
}

impl Perform for ReportState {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        recipients::sender_inside(world, context)?;
        if context.caller.is_nested() {
            return Ok(Decision::done());
        }
        let waits_for = match self.state {
            AgentState::Blocked => Some(WaitsFor::Permission),
            AgentState::WaitingForInput => Some(WaitsFor::Answer),
            _ => None,
        };
        let sign = Evidence {
            reason: self.reason,
            waits_for,
            until: self.until,
            usage: AgentUsage::of(self.context_tokens, self.cost_micros),
            ..Evidence::new(EvidenceSource::Plugin, self.state)
        };
        let report = Report { sign, name: Some(self.agent) };
        let pane = own_pane(world, context).filter(|pane| is_news(pane, &report.sign));
        let events = pane.map(|pane| reported(pane, report, context.now));
        Ok(Decision::done().events(events.into_iter().flatten()))
    }
}

fn is_news(pane: &Pane, sign: &Evidence) -> bool {
    pane.agent.reports.iter().all(|heard| heard.sign != *sign)
}

/// The caller's pane. One that is only claimed may be another agent's.
fn own_pane<'a>(world: &'a World, context: &RequestContext) -> Option<&'a Pane> {
    world.caller_pane(context).filter(|_| !context.caller.claims())
}

/// Records the conversation of the agent in the caller's pane, if that is news.
pub(super) fn conversation(own: Conversation, world: &World, context: &RequestContext) -> Option<Event> {
    let pane = own_pane(world, context)?;
    let conversation = Conversation { agent: canonical(&own.agent).to_owned(), id: own.id };
    let is_news = pane.conversation.as_ref() != Some(&conversation);
    is_news.then_some(Event::ConversationReported { pane: pane.id, conversation })
}
