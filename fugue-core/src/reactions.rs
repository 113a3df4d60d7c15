//! The effects that follow from single events.

use fugue_protocol::{Event, PaneId, RunId};

use crate::agents::AgentSummary;
use crate::effect::Effect;
use crate::world::World;

/// Returns the effects of an event, given the world after it. Sizes depend on a whole step: see `pane_sizes.rs`.
pub(crate) fn react(world: &World, event: &Event) -> Vec<Effect> {
    match event {
        Event::PaneOpened(e) => vec![host(world, e.pane, e.run.id)],
        Event::PaneRespawned(e) => vec![host(world, e.pane, e.run.id)],
        Event::PaneExited { pane, exit } => vec![Effect::ReportExit { pane: *pane, exit: *exit }],
        Event::AgentStateChanged { pane, agent } => {
            vec![Effect::SetAgent { pane: *pane, agent: agent.as_ref().map(AgentSummary::from) }]
        }
        Event::PaneClosed { pane } => vec![Effect::DropPane { pane: *pane }],
        _ => Vec::new(),
    }
}

fn host(world: &World, pane: PaneId, run: RunId) -> Effect {
    Effect::Host { pane, run, size: world.place_of(pane).size() }
}
