//! Verbs about windows.

use fugue_protocol::events::{PaneOpened, WindowOpened};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, PaneCreated, WindowView};
use fugue_protocol::{Event, Refusal, RunId, WindowId, WindowRef};

use super::launch::{self, ChildPlace};
use super::{Perform, removal};
use crate::caller::Caller;
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::{Session, World};

/// Replies with the window after the change.
pub(super) fn shown(window: WindowId) -> Decision<WindowView> {
    Decision::after(move |world| world.window_view(window))
}

impl Perform for CreateWindow {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneCreated>, Refusal> {
        launch::room_for_a_pane(world)?;
        let session = world.session_or_own(self.session.as_ref(), context)?;
        let launch = launch::launch(&self.program)?;
        let (window, pane, run) = (context.fresh(), context.fresh(), context.fresh::<RunId>());
        let size = world.current_window(session).size;
        let own = world.caller_pane(context).filter(|pane| world.session_of(pane).id == session.id);
        let comes_from = Some(own.unwrap_or_else(|| world.current_pane(session)).id);
        let child = ChildPlace { pane, window, session, size, comes_from, world }.child(run, &launch);
        let automatic_name = self.name.is_none() && context.settings.automatic_names;
        let name = self.name.unwrap_or_else(|| launch::window_name(pane, context));
        let (index, slot) = world.place_for_window(session, self.index)?;
        let opened = PaneOpened {
            pane,
            window,
            run: context.run(pane, run),
            launch: launch::settled(launch, pane, context),
            on_exit: launch::on_exit(self.program.on_exit, world, context),
            name: None,
        };
        // An MCP server has no client that could show a popup.
        let popup = self.popup
            && !matches!(context.caller, Caller::Agent(_) | Caller::Elsewhere(_) | Caller::Bridge { .. });
        let events = [
            Event::WindowOpened(WindowOpened {
                window,
                session: session.id,
                name,
                size,
                index,
                slot,
                pane,
                automatic_name,
                popup,
            }),
            Event::PaneOpened(opened),
        ];
        let selected = (!self.background && !popup).then_some(Event::WindowSelected { window });
        Ok(Decision::after(move |world| world.created(pane)).events(events).events(selected).child(child))
    }
}

impl Perform for RenameWindow {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.window(&self.choice, context)?;
        let news = window.automatic_name || window.name != self.name;
        let renamed = Event::WindowRenamed { window: window.id, name: self.name };
        Ok(shown(window.id).events(news.then_some(renamed)))
    }
}

impl Perform for SelectWindow {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.listed_window(&self.choice, context)?;
        let news = world.sessions[&window.session].current != window.id;
        Ok(shown(window.id).events(news.then_some(Event::WindowSelected { window: window.id })))
    }
}

impl Perform for MoveWindow {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.listed_window(&self.choice, context)?;
        let from = &world.sessions[&window.session];
        let to = self.to_session.as_ref().map_or(Ok(from), |wanted| world.session_target(wanted, context))?;
        let (index, slot) = match from.id == to.id {
            true => world.place_for_move(to, window.id, self.index)?,
            false => world.place_for_window(to, self.index)?,
        };
        let moved = Event::WindowMoved { window: window.id, session: to.id, index, slot };
        let emptied = from.id != to.id && from.windows == [window.id];
        let closed = emptied.then(|| removal::without_windows(world, from.id));
        let wrapped = removal::wrapped(world, window).filter(|_| from.id != to.id);
        Ok(shown(window.id).events(wrapped).event(moved).events(closed.into_iter().flatten()))
    }
}

impl Perform for SwapWindows {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.listed_window(&self.choice, context)?;
        let session = &world.sessions[&window.session];
        let other = world.listed_window(&other_window(self.with, session), context)?;
        if other.session != session.id {
            let name = |window| world.name_of_window(window).to_string();
            let (window, other) = (name(window), name(other));
            return Err(Refusal::DifferentSessions { window, other });
        }
        let index = |window| session.windows.iter().position(|id| *id == window).unwrap_or_default();
        let (mut first, mut last) = ((index(window.id), window.id), (index(other.id), other.id));
        if last.0 < first.0 {
            std::mem::swap(&mut first, &mut last);
        }
        // The first window goes behind the last one, so the last one's way back is not shifted by it.
        let moved = |window, index| Event::WindowMoved { window, session: session.id, index, slot: None };
        let events = [moved(first.1, last.0), moved(last.1, first.0)];
        Ok(shown(window.id).events((first.1 != last.1).then_some(events).into_iter().flatten()))
    }
}

/// A window named in a session, or found anywhere by its id.
fn other_window(window: WindowRef, session: &Session) -> WindowChoice {
    let session = matches!(window, WindowRef::Name(_)).then(|| session.id.into());
    WindowChoice { session, window: Some(window) }
}

impl Perform for ResizeWindow {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.window(&self.choice, context)?;
        if !self.size.is_sane() {
            return Err(Refusal::BadSize { size: self.size });
        }
        if self.shown_by.is_some() && !window.popup {
            return Err(Refusal::WindowNotFound { window: window.id.to_string(), nearest: None });
        }
        let resized = Event::WindowResized { window: window.id, size: self.size };
        let resized = (window.size != self.size).then_some(resized);
        let known = world.popup_clients.get(&window.id).copied();
        let client = self.shown_by.filter(|client| known != Some(*client));
        let claimed = client.map(|client| Event::PopupShown { window: window.id, client });
        Ok(shown(window.id).events(resized).events(claimed))
    }
}

impl Perform for KillWindow {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let window = world.window(&self.choice, context)?;
        Ok(Decision::done().events(removal::window(world, window)))
    }
}
