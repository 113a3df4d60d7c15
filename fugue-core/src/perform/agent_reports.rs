//! Verbs with which agents, their hooks and their plugins report on the agent in their own pane.

use fugue_agents::canonical;
use fugue_protocol::agents::{AgentState, AgentUsage, Evidence, EvidenceSource, WaitsFor};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::verbs::{ReportConversation, ReportState};
use fugue_protocol::views::Done;
use fugue_protocol::{Event, Refusal, Timestamp};

use super::Perform;
use crate::agent_events::{Report, reported};
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
        let (source, state) = match (self.hook, self.state) {
            (false, state) => (EvidenceSource::Plugin, state),
            (true, AgentState::Blocked) => (EvidenceSource::Hook, AgentState::Blocked),
            (true, _) => (EvidenceSource::Hook, AgentState::Unknown),
        };
        let sign = Evidence {
            reason: self.reason,
            waits_for,
            until: self.until,
            usage: AgentUsage::of(self.context_tokens, self.cost_micros),
            command: self.command.filter(|command| command.len() <= MAX_COMMAND),
            ..Evidence::new(source, state)
        };
        let report = Report { sign, name: Some(self.agent) };
        let pane = own_pane(world, context).filter(|pane| is_news(pane, &report.sign));
        let events = pane.map(|pane| reported(pane, report, context.now));
        Ok(Decision::done().events(events.into_iter().flatten()))
    }
}

/// The longest command that is kept: no screen shows a longer one whole, so no rule could answer.
const MAX_COMMAND: usize = 4_096;

/// Whether a report says something new. What a hook reports is a moment, and always new.
fn is_news(pane: &Pane, sign: &Evidence) -> bool {
    let is_known = pane.agent.reports.iter().any(|heard| heard.sign == *sign);
    sign.source == EvidenceSource::Hook || !is_known
}

/// The events of a request for permission that is over: the agent's hook says so. With an empty reason all are over.
pub(super) fn over(reason: &str, world: &World, context: &RequestContext) -> Vec<Event> {
    let asks = |pane: &&Pane| !pane.agent.asked.is_empty() && !context.caller.is_nested();
    let Some(pane) = own_pane(world, context).filter(asks) else { return Vec::new() };
    ended(pane, Some(reason).filter(|reason| !reason.is_empty()), context.now)
}

/// The events of requests that are over: those with this reason, or all of them.
pub(super) fn ended(pane: &Pane, reason: Option<&str>, now: Timestamp) -> Vec<Event> {
    let unknown = Evidence::new(EvidenceSource::Hook, AgentState::Unknown);
    let sign = Evidence { reason: reason.map(str::to_owned), ..unknown };
    reported(pane, Report { sign, name: None }, now)
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
