//! How things go: the last pane takes its window along, the last window its session. No empty shells remain.

use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, PaneId, RunId};

use crate::layout::Layout;
use crate::world::{Pane, Session, Window, World};

/// A pane is closed.
pub(crate) fn pane(world: &World, pane: &Pane) -> Vec<Event> {
    let mut events = vec![Event::PaneClosed { pane: pane.id }];
    events.extend(leaving(world, pane));
    events
}

/// What a window does when a pane leaves it, whether it is closed or goes elsewhere.
pub(super) fn leaving(world: &World, pane: &Pane) -> Vec<Event> {
    let window = world.window_of(pane);
    match window.layout.remove(pane.id, window.size) {
        Ok(Some(layout)) => closing_ranks(window, pane.id, &layout),
        _ => shell(world, window),
    }
}

/// The panes that stay take the room, and one of them the keyboard.
fn closing_ranks(window: &Window, gone: PaneId, layout: &Layout<PaneId>) -> Vec<Event> {
    let mut events = Vec::new();
    let alone = layout.panes().len() == 1;
    if window.zoomed.is_some_and(|zoomed| zoomed == gone || alone) {
        events.push(Event::ZoomChanged { window: window.id, pane: None });
    }
    events.push(Event::LayoutChanged { window: window.id, layout: layout.to_node() });
    if window.active == gone
        && let Some(pane) = heir(window, gone, layout)
    {
        events.push(Event::PaneFocused { pane });
    }
    events
}

/// Who gets the keyboard: the pane that had it before, else the one that stood before it, else the next.
fn heir(window: &Window, gone: PaneId, layout: &Layout<PaneId>) -> Option<PaneId> {
    let stood = window.layout.panes().iter().position(|pane| *pane == gone).unwrap_or_default();
    let before = window.last.filter(|pane| layout.contains(*pane));
    before.or_else(|| layout.panes().get(stood.saturating_sub(1)).copied())
}

/// A window whose last pane has gone; the last window takes the session along.
fn shell(world: &World, window: &Window) -> Vec<Event> {
    let mut events = vec![Event::WindowClosed { window: window.id }];
    if world.sessions.get(&window.session).is_some_and(|session| session.windows == [window.id]) {
        events.push(Event::SessionClosed { session: window.session });
    }
    events
}

/// A window is closed with all its panes.
pub(super) fn window(world: &World, window: &Window) -> Vec<Event> {
    let panes = window.layout.panes().into_iter().map(|pane| Event::PaneClosed { pane });
    panes.chain(shell(world, window)).collect()
}

/// A session is closed with all its windows.
pub(super) fn session(world: &World, session: &Session) -> Vec<Event> {
    let mut events: Vec<_> =
        world.panes_of(session).into_iter().map(|pane| Event::PaneClosed { pane }).collect();
    events.extend(session.windows.iter().map(|window| Event::WindowClosed { window: *window }));
    events.push(Event::SessionClosed { session: session.id });
    events
}

/// Everything is closed.
pub(crate) fn everything(world: &World) -> Vec<Event> {
    world.sessions.values().flat_map(|one| session(world, one)).collect()
}

/// A program ended: its pane is kept or closed, as it was asked for.
pub(crate) fn exited(world: &World, run: RunId, exit: ExitStatus) -> Vec<Event> {
    let of_run = |pane: &&Pane| pane.run().is_some_and(|own| own.id == run);
    let Some(gone) = world.panes.values().find(of_run) else {
        return Vec::new();
    };
    let mut events = vec![Event::PaneExited { pane: gone.id, exit }];
    if gone.on_exit.closes(exit) {
        events.extend(pane(world, gone));
    }
    events
}
