//! The events that are not stored, as they would have to happen to lead to the world as it is: for a client that missed
//! some of them.

use fugue_protocol::Event;

use crate::world::{Pane, World};

/// Returns what panes show now. Applied to a world that all stored events made, these events make the current one.
pub fn current_events(world: &World) -> Vec<Event> {
    world.panes.values().flat_map(of_pane).collect()
}

fn of_pane(known: &Pane) -> Vec<Event> {
    let pane = known.id;
    let mut events = vec![
        Event::PaneTitled { pane, title: known.title.clone() },
        Event::ForegroundChanged { pane, program: known.foreground.clone() },
        Event::CommandEnded { pane, exit: known.last_exit },
        Event::AgentStateChanged { pane, agent: known.agent.view.clone() },
        Event::DialogChanged { pane, dialog: known.dialog.as_deref().cloned() },
    ];
    events.extend(known.cwd.clone().map(|cwd| Event::PaneWentTo { pane, cwd }));
    events
}
