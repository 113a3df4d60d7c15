//! Agents that wait for the user: no other agent may end the pane of one, because the user's answer would be lost with it,
//! unless the pane is in a session created from the caller's own and the user has given the caller a scope.

use fugue_protocol::{Event, PaneId, Refusal};

use super::authority::{home_of_pane, names_of_pane};
use super::caller_access::descends;
use super::session_rules::Scopes;
use crate::caller::Caller;
use crate::decision::{Decision, ReplySource};
use crate::edge_request::EdgeRequest;
use crate::world::{Pane, World};

/// Refuses a decision that would end a pane in which another agent waits for the user.
pub(super) fn check<R>(
    scopes: &Scopes,
    world: &World,
    caller: Caller,
    decision: &Decision<R>,
) -> Result<(), Refusal> {
    let own = caller.pane();
    let others = ended(world, decision).into_iter().filter(|pane| Some(*pane) != own);
    let mut waiting = others.filter_map(|pane| world.panes.get(&pane)).filter(|pane| pane.waits_for_user());
    match waiting.find(|pane| !may_end(scopes, world, caller, pane)) {
        Some(pane) => {
            let agent = pane.agent.view.as_ref().map_or("An agent", |view| &view.name).to_owned();
            Err(Refusal::WaitsForUser { pane: pane.id, agent })
        }
        None => Ok(()),
    }
}

/// The panes whose programs a decision ends.
fn ended<R>(world: &World, decision: &Decision<R>) -> Vec<PaneId> {
    if matches!(decision.answer, ReplySource::Later(EdgeRequest::Shutdown)) {
        return world.panes.keys().copied().collect();
    }
    let pane = |event: &Event| match event {
        Event::PaneClosed { pane } => Some(*pane),
        Event::PaneRespawned(respawned) => Some(respawned.pane),
        _ => None,
    };
    decision.events.iter().filter_map(pane).collect()
}

fn may_end(scopes: &Scopes, world: &World, caller: Caller, pane: &Pane) -> bool {
    let own = caller.pane().and_then(|own| world.panes.get(&own));
    own.is_some_and(|own| {
        let child =
            home_of_pane(world, own).is_some_and(|home| descends(world, pane_session(world, pane), home));
        child && scopes.are_set_for(&names_of_pane(world, own))
    })
}

fn pane_session(world: &World, pane: &Pane) -> fugue_protocol::SessionId {
    world.session_of(pane).id
}
