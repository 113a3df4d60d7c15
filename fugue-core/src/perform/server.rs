//! Verbs about the caller and the daemon.

use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, Identity, ServerStatus, Subscribed};
use fugue_protocol::{Event, Refusal};

use super::Perform;
use crate::caller::Caller;
use crate::decision::Decision;
use crate::edge_request::EdgeRequest;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for Whoami {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Identity>, Refusal> {
        let claimed = match context.caller {
            // A claim of a pane that is gone is told as such; it gives no rights.
            Caller::Unattributed(unattributed) => unattributed.claimed,
            _ => None,
        };
        if let Some(pane_id) = claimed.filter(|pane| !world.panes.contains_key(pane)) {
            return Err(Refusal::CallerGone { pane_id });
        }
        let pane_id = context.caller.pane().ok_or_else(|| context.caller.not_inside())?;
        let pane = world.panes.get(&pane_id).ok_or(Refusal::CallerGone { pane_id })?;
        let session = world.session_of(pane);
        Ok(Decision::reply(Identity {
            pane_id,
            session_id: session.id,
            session_name: session.name.clone(),
            window_id: pane.window,
            tags: self.include_tags.then(|| session.tags.clone()),
            cwd: pane.cwd().map(str::to_owned),
            claimed: context.caller.claims(),
        }))
    }
}

impl Perform for SubscribeEvents {
    fn perform(self, _: &World, _: &RequestContext) -> Result<Decision<Subscribed>, Refusal> {
        Ok(Decision::later(EdgeRequest::Events(self.since)))
    }
}

impl Perform for GetServerStatus {
    fn perform(self, _: &World, _: &RequestContext) -> Result<Decision<ServerStatus>, Refusal> {
        Ok(Decision::later(EdgeRequest::Status))
    }
}

impl Perform for DismissWarnings {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let dismissed = (!world.warnings.is_empty()).then_some(Event::WarningsDismissed);
        Ok(Decision::done().events(dismissed))
    }
}

impl Perform for Authorize {
    /// The check of the caller's scope is all there is to it.
    fn perform(self, _: &World, _: &RequestContext) -> Result<Decision<Done>, Refusal> {
        Ok(Decision::done())
    }
}

impl Perform for Shutdown {
    fn perform(self, _: &World, _: &RequestContext) -> Result<Decision<Done>, Refusal> {
        Ok(Decision::later(EdgeRequest::Shutdown))
    }
}
