//! `create-pane`: splits a pane, or opens a window for an agent whose split would be too small to work in.

use fugue_protocol::Launch;
use fugue_protocol::events::{PaneOpened, WindowOpened};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::CreatePane;
use fugue_protocol::views::PaneCreated;
use fugue_protocol::{Event, PaneId, Refusal, RunId, Side, Size, WindowId, WindowRef};

use super::launch::{self, ChildPlace};
use super::{Perform, layout_outcome};
use crate::decision::Decision;
use crate::layout::{LEAST_PANE, Layout, Share};
use crate::request_context::RequestContext;
use crate::world::{Pane, Session, Window, World};

/// The smallest pane that an agent gets by splitting: programs and their readers make nothing of a smaller one. People
/// see what they split, and may split further.
const USABLE: Size = Size { cols: 20, rows: 5 };

impl Perform for CreatePane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneCreated>, Refusal> {
        launch::room_for_a_pane(world)?;
        let launch = launch::launch(&self.program)?;
        let new = NewPane { pane: context.fresh(), run: context.fresh(), window: context.fresh() };
        // The first decision opened a window, which the program was told.
        if self.choice.window == Some(WindowRef::Id(new.window)) && context.has_children() {
            let session = world.session_or_own(self.choice.session.as_ref(), context)?;
            return Ok(self.in_window(new, launch, session, world, context));
        }
        let beside = self.beside(world, context)?;
        let window = world.window_of(beside);
        match self.layout(new.pane, beside, window) {
            Ok(layout) if context.has_children() || !world.is_agent(context) => {
                Ok(self.split(new, launch, beside, &layout, world, context))
            }
            Ok(layout) if is_usable(&layout, [beside.id, new.pane], window) => {
                Ok(self.split(new, launch, beside, &layout, world, context))
            }
            Ok(_) => Ok(self.in_window(new, launch, world.session_of(beside), world, context)),
            Err(Refusal::NoRoom { .. } | Refusal::TooMany { .. })
                if world.is_agent(context) && !context.has_children() =>
            {
                Ok(self.in_window(new, launch, world.session_of(beside), world, context))
            }
            Err(refusal) => Err(refusal),
        }
    }
}

/// The ids of a new pane, of its program, and of the window that is opened if there is no room for a split.
#[derive(Clone, Copy)]
struct NewPane {
    pane: PaneId,
    run: RunId,
    window: WindowId,
}

/// Whether both halves of a split are large enough to work in.
fn is_usable(layout: &Layout<PaneId>, halves: [PaneId; 2], window: &Window) -> bool {
    let fits = |size: Size| size.cols >= USABLE.cols && size.rows >= USABLE.rows;
    halves.iter().all(|pane| layout.place(*pane, window.size).is_none_or(|place| fits(place.size())))
}

/// A percentage of the columns or rows that are split, as in tmux: the border counts too. It leaves room for both panes.
fn share(percent: u8, cells: u16, least: u16) -> Result<Share, Refusal> {
    if !(1..=99).contains(&percent) {
        return Err(Refusal::argument("percent", ArgumentProblem::NotAPercentage { given: percent }));
    }
    let share = u32::from(cells) * u32::from(percent) / 100;
    Ok(Share::Cells((share as u16).min(cells.saturating_sub(least + 1)).max(least)))
}

trait Splits: Sized {
    fn beside<'a>(&self, world: &'a World, context: &RequestContext) -> Result<&'a Pane, Refusal>;
    fn fits(&self, world: &World, context: &RequestContext, pane: &Pane) -> Result<bool, Refusal>;
    fn layout(&self, new: PaneId, beside: &Pane, window: &Window) -> Result<Layout<PaneId>, Refusal>;
    fn split(
        self,
        new: NewPane,
        launch: Launch,
        beside: &Pane,
        layout: &Layout<PaneId>,
        world: &World,
        context: &RequestContext,
    ) -> Decision<PaneCreated>;
    fn in_window(
        self,
        new: NewPane,
        launch: Launch,
        session: &Session,
        world: &World,
        context: &RequestContext,
    ) -> Decision<PaneCreated>;
    fn opened(
        self,
        new: NewPane,
        window: WindowId,
        launch: Launch,
        world: &World,
        context: &RequestContext,
    ) -> Event;
}

impl Splits for CreatePane {
    /// The pane to split: the named one, else the caller's own if it is in that window, else the active one.
    fn beside<'a>(&self, world: &'a World, context: &RequestContext) -> Result<&'a Pane, Refusal> {
        if let Some(wanted) = &self.pane {
            let pane = world.pane_target(wanted, self.choice.session.as_ref(), context)?;
            let elsewhere = || Refusal::PaneNotFound { pane: wanted.to_string(), exit: None };
            return if self.fits(world, context, pane)? { Ok(pane) } else { Err(elsewhere()) };
        }
        let window = world.window(&self.choice, context)?;
        let own = world.caller_pane(context).filter(|pane| pane.window == window.id);
        Ok(own.unwrap_or_else(|| &world.panes[&window.active]))
    }

    /// Whether a pane is in the named window, if one is named.
    fn fits(&self, world: &World, context: &RequestContext, pane: &Pane) -> Result<bool, Refusal> {
        Ok(self.choice.window.is_none() || world.window(&self.choice, context)?.id == pane.window)
    }

    /// The layout of the window after the split.
    fn layout(&self, new: PaneId, beside: &Pane, window: &Window) -> Result<Layout<PaneId>, Refusal> {
        let side = self.direction.unwrap_or(Side::Below);
        let place = window.layout.place(beside.id, window.size).filter(|_| !self.full);
        let split = place.map_or(window.size, |place| place.size());
        let (cells, least) = match side {
            Side::Left | Side::Right => (split.cols, LEAST_PANE.cols),
            Side::Above | Side::Below => (split.rows, LEAST_PANE.rows),
        };
        let share = self.percent.map(|percent| share(percent, cells, least)).transpose()?;
        let share = share.or_else(|| self.cells.map(Share::Cells));
        layout_outcome::room_in(window)?;
        let layout = match self.full {
            true => window.layout.split_edge(new, side, share, window.size),
            false => window.layout.split(beside.id, new, side, share, window.size),
        };
        layout.map_err(|error| layout_outcome::refusal(&error))
    }

    fn split(
        self,
        new: NewPane,
        launch: Launch,
        beside: &Pane,
        layout: &Layout<PaneId>,
        world: &World,
        context: &RequestContext,
    ) -> Decision<PaneCreated> {
        let (window, pane) = (world.window_of(beside), new.pane);
        let size = layout.place(pane, window.size).map_or(window.size, |place| place.size());
        let session = &world.sessions[&window.session];
        let spot = ChildPlace { pane, window: window.id, session, size, comes_from: Some(beside.id), world };
        let child = spot.child(new.run, &launch);
        // The layout comes first, so that the pane starts at its final size.
        let focused = (!self.background).then_some(Event::PaneFocused { pane });
        Decision::after(move |world| world.created(pane))
            .events(layout_outcome::laid_out(window, layout))
            .event(self.opened(new, window.id, launch, world, context))
            .events(focused)
            .child(child)
    }

    /// Opens the pane in a window of its own, which nobody is switched to: no one asked for another window.
    fn in_window(
        self,
        new: NewPane,
        launch: Launch,
        session: &Session,
        world: &World,
        context: &RequestContext,
    ) -> Decision<PaneCreated> {
        let NewPane { pane, run, window } = new;
        let size = world.current_window(session).size;
        let own = world.caller_pane(context).filter(|pane| world.session_of(pane).id == session.id);
        let comes_from = Some(own.unwrap_or_else(|| world.current_pane(session)).id);
        let child = ChildPlace { pane, window, session, size, comes_from, world }.child(run, &launch);
        let name = launch::window_name(pane, context);
        let automatic_name = context.settings.automatic_names;
        let (index, slot) = world.free_place(session);
        let session = session.id;
        let note =
            format!("a split would be smaller than {USABLE}, so the pane was opened in a window of its own");
        Decision::after(move |world| PaneCreated { note: Some(note), ..world.created(pane) })
            .event(Event::WindowOpened(WindowOpened {
                window,
                session,
                name,
                size,
                index,
                slot,
                pane,
                automatic_name,
                popup: false,
            }))
            .event(self.opened(new, window, launch, world, context))
            .child(child)
    }

    fn opened(
        self,
        new: NewPane,
        window: WindowId,
        launch: Launch,
        world: &World,
        context: &RequestContext,
    ) -> Event {
        Event::PaneOpened(PaneOpened {
            pane: new.pane,
            window,
            run: context.run(new.pane, new.run),
            launch: launch::settled(launch, new.pane, context),
            on_exit: launch::on_exit(self.program.on_exit, world, context),
            name: self.name,
        })
    }
}
