//! Removal of panes, windows and sessions: the last pane closes its window, and the last window its session.

use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, PaneId, RunId, SessionId, Timestamp};

use crate::layout::Layout;
use crate::pane_notes;
use crate::world::{Pane, PaneLife, Session, Window, World};

/// Closes a pane.
pub(crate) fn pane(world: &World, pane: &Pane) -> Vec<Event> {
    let mut events = vec![Event::PaneClosed { pane: pane.id }];
    events.extend(leaving(world, pane));
    events
}

/// The events of a pane leaving its window, whether it is closed or moved.
pub(super) fn leaving(world: &World, pane: &Pane) -> Vec<Event> {
    let window = world.window_of(pane);
    match window.layout.remove(pane.id, window.size) {
        Ok(Some(layout)) => closing_ranks(window, pane.id, &layout),
        _ => shell(world, window),
    }
}

/// The remaining panes take the space, and one of them the focus.
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

/// The next active pane: the previously active one, else the one before it in order, else the next.
pub(super) fn heir(window: &Window, gone: PaneId, layout: &Layout<PaneId>) -> Option<PaneId> {
    let stood = window.layout.panes().iter().position(|pane| *pane == gone).unwrap_or_default();
    let before = window.last.filter(|pane| layout.contains(*pane));
    before.or_else(|| layout.panes().get(stood.saturating_sub(1)).copied())
}

/// Closes a window without panes; the last window closes its session.
fn shell(world: &World, window: &Window) -> Vec<Event> {
    let mut events: Vec<_> = wrapped(world, window).into_iter().collect();
    events.push(Event::WindowClosed { window: window.id });
    if world.sessions.get(&window.session).is_some_and(|session| session.windows == [window.id]) {
        events.extend(without_windows(world, window.session));
    }
    events
}

/// When the first window leaves its session and none was current before it, the last one becomes current, as in tmux.
pub(super) fn wrapped(world: &World, window: &Window) -> Option<Event> {
    let session = world.sessions.get(&window.session)?;
    let [first, .., last] = session.windows.as_slice() else { return None };
    let is_first = session.current == window.id && *first == window.id && session.last.is_none();
    is_first.then_some(Event::WindowSelected { window: *last })
}

/// Closes a session that has no windows left, and the popups that were over them.
pub(super) fn without_windows(world: &World, session: SessionId) -> Vec<Event> {
    let mut events: Vec<_> = world.popups_of(session).flat_map(popup).collect();
    events.push(Event::SessionClosed { session });
    events
}

/// Closes a popup.
fn popup(popup: &Window) -> Vec<Event> {
    let panes = popup.layout.panes().into_iter().map(|pane| Event::PaneClosed { pane });
    panes.chain([Event::WindowClosed { window: popup.id }]).collect()
}

/// Closes the popups that no client shows any more, now that this one has left. A client opens a popup before it shows
/// it, so one that nobody has shown yet stays as long as another client is attached to its session.
pub(crate) fn abandoned_popups(world: &World, left: u64) -> Vec<Event> {
    let stays = |client: u64| client != left && world.clients.contains_key(&client);
    let may_be_shown =
        |window: &Window| world.clients.values().any(|of| of.session == window.session && stays(of.client));
    let shown = |window: &Window| match world.popup_clients.get(&window.id) {
        Some(client) => stays(*client),
        None => may_be_shown(window),
    };
    world.windows.values().filter(|window| window.popup && !shown(window)).flat_map(popup).collect()
}

/// Closes the popups whose program was lost: nobody wants them started again.
pub(crate) fn lost_popups(world: &World) -> Vec<Event> {
    let is_lost = |window: &&Window| {
        let pane = world.panes.get(&window.active);
        window.popup && pane.is_none_or(|pane| pane.life == PaneLife::Lost)
    };
    world.windows.values().filter(is_lost).flat_map(popup).collect()
}

/// Closes a window with all its panes.
pub(super) fn window(world: &World, window: &Window) -> Vec<Event> {
    let panes = window.layout.panes().into_iter().map(|pane| Event::PaneClosed { pane });
    panes.chain(shell(world, window)).collect()
}

/// Closes a session with all its windows.
pub(crate) fn session(world: &World, session: &Session) -> Vec<Event> {
    let mut events: Vec<_> =
        world.panes_of(session).into_iter().map(|pane| Event::PaneClosed { pane }).collect();
    events.extend(session.windows.iter().map(|window| Event::WindowClosed { window: *window }));
    events.extend(without_windows(world, session.id));
    events
}

/// Closes everything, and forgets what belonged to no session.
pub(crate) fn everything(world: &World) -> Vec<Event> {
    let closed = world.sessions.values().flat_map(|one| session(world, one));
    closed
        .chain(world.options.clear_global())
        .chain(world.hooks.clear_global())
        .chain(world.buffers.clear())
        .chain(world.channels.clear())
        .collect()
}

/// A program ended: its pane is kept or closed, depending on its settings.
pub(crate) fn exited(world: &World, run: RunId, exit: ExitStatus, now: Timestamp) -> Vec<Event> {
    let of_run = |pane: &&Pane| pane.run().is_some_and(|own| own.id == run);
    let Some(gone) = world.panes.values().find(of_run) else {
        return Vec::new();
    };
    if !gone.on_exit.closes(exit) {
        return vec![Event::PaneExited { pane: gone.id, exit }];
    }
    // What is remembered of the pane includes its title and directory, which may not have been noted yet.
    let mut events: Vec<_> = pane_notes::note(gone).into_iter().collect();
    events.push(Event::PaneExited { pane: gone.id, exit });
    events.push(Event::PaneEnded { pane: gone.id, ended_at: now });
    events.extend(pane(world, gone));
    events
}
