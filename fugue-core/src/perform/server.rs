//! Verbs about the caller and the daemon.

use std::collections::BTreeMap;

use fugue_protocol::agent_messages::DeliveryState;
use fugue_protocol::verbs::*;
use fugue_protocol::views::{DaemonMetrics, Done, Identity, ServerStatus, Subscribed};
use fugue_protocol::{AgentState, Event, Refusal};

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

impl Perform for GetMetrics {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<DaemonMetrics>, Refusal> {
        let (outbox_messages, outbox_bytes) = world.messages.outbox_size();
        let (inbox_messages, inbox_bytes, largest_inbox_messages) = world.messages.inbox_sizes();
        let agents = world.panes.values().filter_map(|pane| pane.agent.view.as_ref());
        let receipts = world.messages.all().flat_map(|message| message.states());
        Ok(Decision::reply(DaemonMetrics {
            sessions: world.sessions.len(),
            windows: world.windows.len(),
            panes: world.panes.len(),
            clients: world.clients.len(),
            agents: counts(AgentState::NAMES, agents.map(|agent| agent.state)),
            receipts: counts(DeliveryState::NAMES, receipts),
            inbox_messages,
            inbox_bytes,
            largest_inbox_messages,
            outbox_messages,
            outbox_bytes,
            leases: world.leases.held.values().filter(|lease| lease.expires_at > context.now).count(),
        }))
    }
}

/// How often each state occurs. A state that does not occur counts as zero, so that its series does not disappear.
fn counts<S: PartialEq + Copy, const N: usize>(
    names: [(&'static str, S); N],
    states: impl Iterator<Item = S>,
) -> BTreeMap<String, usize> {
    let mut counted: BTreeMap<_, _> = names.iter().map(|(name, _)| ((*name).to_owned(), 0)).collect();
    for state in states {
        let name = names.iter().find(|(_, named)| *named == state).map(|(name, _)| *name);
        if let Some(count) = name.and_then(|name| counted.get_mut(name)) {
            *count += 1;
        }
    }
    counted
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
