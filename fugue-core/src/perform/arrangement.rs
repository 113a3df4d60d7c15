//! Verbs that arrange panes: layouts, resizing, zoom, swap, join and break.

use fugue_protocol::events::WindowOpened;
use fugue_protocol::layout::{LayoutChild, Node};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::*;
use fugue_protocol::views::WindowView;
use fugue_protocol::{Event, PaneId, Refusal, Side};

use super::windows::shown;
use super::{Perform, launch, layout_outcome, removal};
use crate::decision::Decision;
use crate::layout::{Layout, LayoutError, Share, Spec, SpecChild};
use crate::request_context::RequestContext;
use crate::world::{Pane, Window, World};

type Changed = Result<Layout<PaneId>, LayoutError<PaneId>>;

/// Applies a changed layout to a window.
fn rearranged(window: &Window, layout: Changed) -> Result<Decision<WindowView>, Refusal> {
    let layout = layout.map_err(|error| layout_outcome::refusal(&error))?;
    Ok(shown(window.id).events(layout_outcome::laid_out(window, &layout)))
}

impl Perform for SelectLayout {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.window(&self.choice, context)?;
        if let Some(tree) = &self.tree {
            return rearranged(window, described(tree, &window.layout));
        }
        if let Some(pane) = self.spread {
            return rearranged(window, window.layout.spread(pane, window.size));
        }
        let applied = Event::PresetApplied { window: window.id, preset: self.preset };
        let mut panes = window.layout.panes();
        if window.preset.is_some_and(Preset::is_mirrored) {
            // There, the main pane is the last one, and it stays the main pane.
            panes.rotate_right(1);
        }
        let layout = Layout::preset(self.preset, &panes, self.main.map(Share::Cells), window.size);
        Ok(rearranged(window, layout)?.event(applied))
    }
}

/// A layout that a program describes, which must have the same panes.
fn described(tree: &Node, now: &Layout<PaneId>) -> Changed {
    let layout = Layout::from_tree(&spec(tree))?;
    let stray = layout.panes().into_iter().find(|pane| !now.contains(*pane));
    let missing = now.panes().into_iter().find(|pane| !layout.contains(*pane));
    match stray.or(missing) {
        Some(pane) => Err(LayoutError::NoSuchPane { pane }),
        None => Ok(layout),
    }
}

fn spec(node: &Node) -> Spec<PaneId> {
    match node {
        Node::Pane(pane) => Spec::Pane(*pane),
        Node::Split(split) => {
            let child =
                |child: &LayoutChild| SpecChild { ratio: Some(child.weight), node: spec(&child.node) };
            Spec::Split { axis: split.axis, children: split.children.iter().map(child).collect() }
        }
    }
}

impl Perform for RotatePanes {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let window = world.window(&self.choice, context)?;
        let layout = window.layout.rotate(!self.backward);
        let places = window.layout.panes();
        let active = places.iter().zip(layout.panes()).find(|(before, _)| **before == window.active);
        let focused = active.map(|(_, pane)| pane).filter(|pane| *pane != window.active);
        Ok(rearranged(window, Ok(layout))?.events(focused.map(|pane| Event::PaneFocused { pane })))
    }
}

impl Perform for ResizePane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let window = world.window_of(pane);
        let invalid = |why| Err(Refusal::argument("direction", why));
        match (self.direction, self.cols.or(self.rows)) {
            (Some(_), Some(_)) => invalid(ArgumentProblem::DirectionAndSize),
            (None, None) => invalid(ArgumentProblem::DirectionOrSizeRequired),
            (None, Some(_)) if self.towards => {
                rearranged(window, window.layout.resize_towards(pane.id, self.cols, self.rows, window.size))
            }
            (None, Some(_)) => {
                rearranged(window, window.layout.resize_to(pane.id, self.cols, self.rows, window.size))
            }
            (Some(side), None) => {
                let by = self.by.unwrap_or(1);
                match window.layout.resize(pane.id, side, by, window.size) {
                    Err(LayoutError::NoBorder { .. } | LayoutError::Stuck { .. }) if self.towards => {
                        // As in tmux, the window is unzoomed nevertheless.
                        Ok(shown(window.id).events(layout_outcome::unzoomed(window)))
                    }
                    resized => rearranged(window, resized),
                }
            }
        }
    }
}

impl Perform for ZoomPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let window = world.window_of(pane);
        // A single pane already fills its window.
        let alone = window.layout.panes().len() == 1;
        let zoomed = !alone && self.zoomed.unwrap_or(window.zoomed != Some(pane.id));
        let to = zoomed.then_some(pane.id);
        let changed = (window.zoomed != to).then_some(Event::ZoomChanged { window: window.id, pane: to });
        let focused = (zoomed && window.active != pane.id).then_some(Event::PaneFocused { pane: pane.id });
        Ok(shown(window.id).events(changed).events(focused))
    }
}

impl Perform for SwapPanes {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let (one, other) =
            (world.pane(&self.choice, context)?, world.pane_target(&self.with, None, context)?);
        let (here, there) = (world.window_of(one), world.window_of(other));
        if one.id == other.id {
            return Ok(shown(here.id));
        }
        layout_outcome::not_a_popup(here)?;
        layout_outcome::not_a_popup(there)?;
        if here.id == there.id {
            return rearranged(here, here.layout.swap(one.id, other.id));
        }
        let mut events = Vec::new();
        for (window, leaves, comes) in [(here, one, other), (there, other, one)] {
            let layout = window
                .layout
                .replace(leaves.id, comes.id)
                .map_err(|error| layout_outcome::refusal(&error))?;
            events.push(Event::PaneMoved { pane: comes.id, window: window.id });
            events.extend(layout_outcome::laid_out(window, &layout));
        }
        events.extend(keyboards(here, there, one, other));
        Ok(shown(here.id).events(events))
    }
}

/// The pane that comes in takes over the focus of the one that left.
fn keyboards(here: &Window, there: &Window, one: &Pane, other: &Pane) -> Vec<Event> {
    let places = [(here, one.id, other.id), (there, other.id, one.id)];
    let held = places.into_iter().filter(|(window, leaves, _)| window.active == *leaves);
    held.map(|(_, _, comes)| Event::PaneFocused { pane: comes }).collect()
}

impl Perform for JoinPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let (pane, beside) =
            (world.pane(&self.choice, context)?, world.pane_target(&self.beside, None, context)?);
        let (from, to) = (world.window_of(pane), world.window_of(beside));
        let (side, share) = (self.direction.unwrap_or(Side::Below), self.cells.map(Share::Cells));
        let focused = (!self.background).then_some(Event::PaneFocused { pane: pane.id });
        if from.id == to.id {
            let moved = to.layout.move_pane(pane.id, beside.id, side, share, to.size);
            let left = if self.background { passed_on(to, pane.id) } else { None };
            return Ok(rearranged(to, moved)?.events(focused).events(left));
        }
        layout_outcome::room_in(to)?;
        let joined = rearranged(to, to.layout.split(beside.id, pane.id, side, share, to.size))?;
        let moved = Event::PaneMoved { pane: pane.id, window: to.id };
        let left = removal::leaving(world, pane);
        Ok(joined.event(moved).events(focused).events(left).events(followed(world, from, to)))
    }
}

/// The focus after an active pane was moved within its window without being focused: that of a pane that closes.
fn passed_on(window: &Window, pane: PaneId) -> Option<Event> {
    let rest = window.layout.remove(pane, window.size).ok().flatten().filter(|_| window.active == pane)?;
    removal::heir(window, pane, &rest).map(|pane| Event::PaneFocused { pane })
}

/// When the last pane of a session's current window moves to another window, the session follows it.
fn followed(world: &World, from: &Window, to: &Window) -> Option<Event> {
    let closes = from.layout.panes().len() == 1;
    let current = from.session == to.session && world.sessions[&from.session].current == from.id;
    (closes && current).then_some(Event::WindowSelected { window: to.id })
}

impl Perform for BreakPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let from = world.window_of(pane);
        if from.layout.panes().len() == 1 {
            return Err(Refusal::argument("pane", ArgumentProblem::OnlyPaneInWindow));
        }
        let session = &world.sessions[&from.session];
        let window = context.fresh();
        let (index, slot) = world.free_place(session);
        let opened = WindowOpened {
            window,
            session: session.id,
            automatic_name: self.name.is_none() && context.settings.automatic_names,
            name: self
                .name
                .or_else(|| launch::program_name(&pane.launch))
                .or_else(|| context.settings.shell.clone())
                .unwrap_or_else(|| from.name.clone()),
            size: from.size,
            index,
            slot,
            pane: pane.id,
            popup: false,
        };
        let moved = [Event::WindowOpened(opened), Event::PaneMoved { pane: pane.id, window }];
        let selected = (!self.background).then_some(Event::WindowSelected { window });
        Ok(shown(window).events(moved).events(removal::leaving(world, pane)).events(selected))
    }
}
