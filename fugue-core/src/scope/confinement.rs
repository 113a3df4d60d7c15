//! Confinement: the profiles by which the kernel limits what a session's programs may do. They are fixed here for whatever a
//! decision starts, so that no verb can forget it, and follow the same names as scopes, so that an agent cannot shed them.

use std::collections::BTreeSet;

use fugue_protocol::{ConfinementName, Event, PaneId, Refusal, SessionId, SessionName, WindowId};

use super::authority::{names_of_pane, names_of_session};
use crate::effect::ChildSpec;
use crate::request_context::RequestContext;
use crate::world::World;

type Profiles = BTreeSet<ConfinementName>;

/// Returns the event that confines a new session: by a rule of the user, or as the agent that creates it is confined.
pub(super) fn of_created(
    world: &World,
    context: &RequestContext,
    session: SessionId,
    names: &BTreeSet<SessionName>,
) -> Option<Event> {
    let rules = &context.settings.confinement;
    let profiles: Profiles =
        rules.all_of(names.iter()).into_iter().chain(of_creator(world, context)).collect();
    (!profiles.is_empty()).then_some(Event::SessionConfined { session, profiles })
}

/// The profiles of the agent that a request comes from.
fn of_creator(world: &World, context: &RequestContext) -> Profiles {
    world.caller_pane(context).map(|pane| of_pane(world, pane.id)).unwrap_or_default()
}

/// The profiles of a pane: those of its session, since none is moved between sessions that differ in them.
fn of_pane(world: &World, pane: PaneId) -> Profiles {
    let session = world.panes.get(&pane).map(|pane| world.session_of(pane));
    session.map(|session| session.confined_by.clone()).unwrap_or_default()
}

/// Sets the profiles of the programs that a decision starts.
pub(crate) fn confine(world: &World, context: &RequestContext, events: &[Event], children: &mut [ChildSpec]) {
    let rules = &context.settings.confinement;
    let creator = world.caller_pane(context).map(|pane| names_of_pane(world, pane)).unwrap_or_default();
    for child in children {
        let session = world.sessions.get(&child.session);
        let names = session.map(names_of_session).unwrap_or_default();
        let now = events.iter().filter_map(|event| match event {
            Event::SessionConfined { session, profiles } if *session == child.session => Some(profiles),
            _ => None,
        });
        child.confined_by = rules.all_of(names.iter().chain(&creator));
        child.confined_by.extend(now.flatten().cloned());
        child.confined_by.extend(session.into_iter().flat_map(|session| session.confined_by.iter().cloned()));
        child.confined_by.extend(of_creator(world, context));
    }
}

/// Refuses to move a pane between sessions that are not confined in the same way: the agents of one could act through the
/// programs of the other.
pub(crate) fn check_moves(world: &World, events: &[Event]) -> Result<(), Refusal> {
    for event in events {
        match event {
            Event::PaneMoved { pane, window } => {
                let to = opened_in(events, *window)
                    .or_else(|| world.windows.get(window).map(|window| window.session));
                check_move(world, *pane, to)?;
            }
            Event::WindowMoved { window, session, .. } => {
                let panes = world.windows.get(window).map(|window| window.layout.panes()).unwrap_or_default();
                panes.into_iter().try_for_each(|pane| check_move(world, pane, Some(*session)))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_move(world: &World, pane: PaneId, to: Option<SessionId>) -> Result<(), Refusal> {
    let Some(to) = to.and_then(|to| world.sessions.get(&to)) else { return Ok(()) };
    if to.confined_by == of_pane(world, pane) {
        return Ok(());
    }
    Err(Refusal::Confined { session: to.name.to_string() })
}

fn opened_in(events: &[Event], window: WindowId) -> Option<SessionId> {
    events.iter().find_map(|event| match event {
        Event::WindowOpened(opened) if opened.window == window => Some(opened.session),
        _ => None,
    })
}
