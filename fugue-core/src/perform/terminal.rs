//! Verbs that type into panes and read them: they find the pane, and its task does the rest.

use fugue_protocol::Refusal;
use fugue_protocol::limits;
use fugue_protocol::refusal::{ArgumentProblem, Quantity};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, ExitStatus, InputSent, PaneOutput, PaneView, Picture};

use super::{Perform, at_most};
use crate::decision::Decision;
use crate::edge_request::{EdgeRequest, PaneRequest, ReadRequest, TypeRequest};
use crate::request_context::RequestContext;
use crate::scope;
use crate::world::World;

impl Perform for SendInput {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<InputSent>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        if pane.run().is_none() {
            return Err(Refusal::PaneEnded {
                pane: pane.id,
                exit: pane.exit().unwrap_or(ExitStatus::Unknown),
            });
        }
        let text = self.input.unwrap_or_default();
        if text.len() > limits::INPUT_BYTES {
            return Err(Refusal::InputTooLarge { bytes: text.len(), limit: limits::INPUT_BYTES });
        }
        if text.is_empty() && self.keys.is_empty() && !self.submit {
            return Err(Refusal::argument("input", ArgumentProblem::NothingToSend));
        }
        // A person may have a shell type into its own pane; an agent would type to itself.
        if context.caller.is_agent_of(pane.id) {
            return Err(Refusal::OwnPane { pane: pane.id });
        }
        scope::may_type(pane, context)?;
        let by_agent = context.caller.is_agent();
        let key = self.idempotency_key.as_ref().map(|key| context.caller.own_key(key));
        let may_answer = !by_agent || context.settings.agents_may_answer;
        let typing = TypeRequest { text, keys: self.keys, submit: self.submit, by_agent, may_answer, key };
        Ok(Decision::later(EdgeRequest::Pane(pane.id, PaneRequest::Type(typing))))
    }
}

impl Perform for GetOutput {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneOutput>, Refusal> {
        let pane = world.pane_or_ended(&self.choice, context)?;
        if self.since.is_some() && self.before.is_some() {
            return Err(Refusal::argument("before", ArgumentProblem::BeforeAndSince));
        }
        at_most("context", Quantity::Lines, self.context as u64, limits::CONTEXT_LINES as u64)?;
        let Self { lines, since, before, mode, grep, context, ansi, commands, screen_state, .. } = self;
        let reading = ReadRequest { lines, since, before, mode, grep, context, ansi, commands, screen_state };
        Ok(Decision::later(EdgeRequest::Pane(pane, PaneRequest::Read(reading))))
    }
}

impl Perform for ClearHistory {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        Ok(Decision::later(EdgeRequest::Pane(pane, PaneRequest::ClearHistory)))
    }
}

impl Perform for WatchPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        let ask = if self.stop { PaneRequest::Unwatch } else { PaneRequest::Watch };
        Ok(Decision::later(EdgeRequest::Pane(pane, ask)))
    }
}

impl Perform for RecordPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneView>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        Ok(Decision::later(EdgeRequest::Pane(pane, PaneRequest::Record(Box::new(world.pane_view(pane))))))
    }
}

impl Perform for Screenshot {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Picture>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        Ok(Decision::later(EdgeRequest::Pane(pane, PaneRequest::Picture(self.format))))
    }
}
