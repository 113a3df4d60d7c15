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
        Event::PaneExited { pane, exit } => {
            // The state of its agent ended with it, unless that is final.
            vec![agent(world, *pane), Effect::ReportExit { pane: *pane, exit: *exit }]
        }
        Event::AgentStateChanged { pane, agent } => {
            vec![Effect::SetAgent { pane: *pane, agent: agent.as_ref().map(AgentSummary::from) }]
        }
        Event::PaneClosed { pane } => vec![Effect::DropPane { pane: *pane }],
        _ => Vec::new(),
    }
}

fn agent(world: &World, pane: PaneId) -> Effect {
    let view = world.panes.get(&pane).and_then(|pane| pane.agent.view.as_ref());
    Effect::SetAgent { pane, agent: view.map(AgentSummary::from) }
}

fn host(world: &World, pane: PaneId, run: RunId) -> Effect {
    Effect::Host { pane, run, size: world.place_of(pane).size() }
}
