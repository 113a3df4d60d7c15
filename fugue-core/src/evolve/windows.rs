//! Changes of windows by events.

use fugue_protocol::events::WindowOpened;
use fugue_protocol::layout::Node;
use fugue_protocol::verbs::Preset;
use fugue_protocol::{OptionScope, PaneId, SessionId, Size, WindowId, WindowName};

use super::panes;
use crate::layout::Layout;
use crate::world::{Window, World};

pub(super) fn opened(world: &mut World, event: &WindowOpened) {
    if !world.sessions.contains_key(&event.session) {
        return;
    }
    let window = Window {
        id: event.window,
        number: world.next_numbers.window(),
        session: event.session,
        name: event.name.clone(),
        automatic_name: event.automatic_name,
        size: event.size,
        layout: Layout::single(event.pane),
        active: event.pane,
        last: None,
        former: Vec::new(),
        zoomed: None,
        preset: None,
        popup: event.popup,
    };
    world.windows.insert(event.window, window);
    if !event.popup {
        list(world, event.window, event.session, (event.index, event.slot));
        world.close_gaps();
    }
}

/// Adds a window to a session's list, once: at its index if it has one, else at a position. An index that another version
/// stored for windows without gaps belongs elsewhere if there are gaps now; the position is always right.
fn list(world: &mut World, window: WindowId, session: SessionId, (position, slot): (usize, Option<usize>)) {
    if let Some(session) = world.sessions.get_mut(&session)
        && !session.windows.contains(&window)
    {
        let slots = &mut session.slots;
        let slot = slot.filter(|slot| slots.position_for(*slot) == position);
        let position = slot.map(|slot| slots.insert(slot)).unwrap_or_else(|| slots.insert_at(position));
        session.windows.insert(position, window);
    }
}

/// Removes a window from its session's list. The last active window becomes current, else a neighbor, as in tmux.
fn unlist(world: &mut World, window: WindowId) {
    let Some(session) = world.windows.get(&window).and_then(|window| world.sessions.get_mut(&window.session))
    else {
        return;
    };
    let Some(index) = session.windows.iter().position(|id| *id == window) else {
        return;
    };
    session.windows.remove(index);
    session.slots.remove(index);
    session.former.retain(|former| *former != window);
    if session.last == Some(window) {
        session.last = session.former.pop();
    }
    if session.current == window
        && let Some(next) = session.last.or_else(|| session.windows.get(index.saturating_sub(1)).copied())
    {
        session.current = next;
        session.last = session.former.pop();
    }
}

pub(super) fn renamed(world: &mut World, window: WindowId, name: &WindowName) {
    if let Some(window) = world.windows.get_mut(&window) {
        window.name = name.clone();
        window.automatic_name = false;
    }
}

pub(super) fn closed(world: &mut World, window: WindowId) {
    unlist(world, window);
    world.close_gaps();
    world.windows.remove(&window);
    world.popup_clients.remove(&window);
    world.options.ended(OptionScope::Window(window));
    world.hooks.ended(OptionScope::Window(window));
}

pub(super) fn popup_shown(world: &mut World, window: WindowId, client: u64) {
    if world.windows.contains_key(&window) {
        world.popup_clients.insert(window, client);
    }
}

pub(super) fn selected(world: &mut World, window: WindowId) {
    if let Some(session) =
        world.windows.get(&window).and_then(|window| world.sessions.get_mut(&window.session))
        && session.current != window
    {
        session.former.extend(session.last);
        session.former.retain(|former| *former != window);
        session.last = Some(std::mem::replace(&mut session.current, window));
    }
}

pub(super) fn moved(world: &mut World, window: WindowId, session: SessionId, place: (usize, Option<usize>)) {
    match world.windows.get(&window).map(|window| window.session) {
        Some(from) if from == session => renumbered(world, window, session, place),
        Some(_) if world.sessions.contains_key(&session) => handed_over(world, window, session, place),
        _ => {}
    }
    world.close_gaps();
}

/// Gives a window another index in its session, or moves it to a position: then the windows in between take each other's
/// indexes. The current and the last active window stay.
fn renumbered(
    world: &mut World,
    window: WindowId,
    session: SessionId,
    (position, slot): (usize, Option<usize>),
) {
    let Some(session) = world.sessions.get_mut(&session) else { return };
    let Some(from) = session.windows.iter().position(|id| *id == window) else { return };
    session.windows.remove(from);
    let position = match slot {
        Some(slot) => {
            let mut others = session.slots.clone();
            others.remove(from);
            match others.position_for(slot) == position {
                true => session.slots = others,
                // The indexes were stored for windows without gaps: see `list`.
                false => return session.windows.insert(position.min(session.windows.len()), window),
            }
            session.slots.insert(slot)
        }
        None => position.min(session.windows.len()),
    };
    session.windows.insert(position, window);
}

fn handed_over(world: &mut World, window: WindowId, session: SessionId, place: (usize, Option<usize>)) {
    let panes = world.panes.values().filter(|pane| pane.window == window).map(|pane| pane.id);
    for pane in panes.collect::<Vec<_>>() {
        panes::keep_authority(world, pane, session);
    }
    unlist(world, window);
    list(world, window, session, place);
    if let Some(window) = world.windows.get_mut(&window) {
        window.session = session;
    }
}

pub(super) fn resized(world: &mut World, window: WindowId, size: Size) {
    if let Some(window) = world.windows.get_mut(&window) {
        window.size = size;
    }
}

pub(super) fn laid_out(world: &mut World, window: WindowId, layout: &Node) {
    if let Some(window) = world.windows.get_mut(&window)
        && let Ok(layout) = Layout::from_node(layout)
    {
        window.last = window.last.filter(|last| layout.contains(*last));
        window.former.retain(|former| layout.contains(*former));
        window.layout = layout;
    }
}

pub(super) fn preset(world: &mut World, window: WindowId, preset: Preset) {
    if let Some(window) = world.windows.get_mut(&window) {
        window.preset = Some(preset);
    }
}

pub(super) fn zoomed(world: &mut World, window: WindowId, pane: Option<PaneId>) {
    if let Some(window) = world.windows.get_mut(&window) {
        window.zoomed = pane;
    }
}
