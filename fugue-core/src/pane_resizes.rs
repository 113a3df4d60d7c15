//! Pane sizes that changed in a step. Each pane is resized once, at the end, since programs redraw on every resize.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::{Event, PaneId, Size, WindowId};

use crate::effect::Effect;
use crate::world::World;

/// The sizes of panes in the windows that a step changes.
pub(crate) struct Sizes {
    windows: BTreeSet<WindowId>,
    before: BTreeMap<PaneId, Size>,
}

impl Sizes {
    /// The sizes that panes have before these events.
    pub(crate) fn before(world: &World, events: &[Event]) -> Self {
        let windows = events.iter().filter_map(rearranged).collect();
        Self { before: sizes(world, &windows), windows }
    }

    /// The effects for panes whose size changed. New panes already start at their size.
    pub(crate) fn changed(self, world: &World) -> Vec<Effect> {
        let now = sizes(world, &self.windows).into_iter();
        let changed = now.filter(|(pane, size)| self.before.get(pane).is_some_and(|before| before != size));
        changed.map(|(pane, size)| Effect::Resize { pane, size }).collect()
    }
}

/// The window whose layout an event may change.
fn rearranged(event: &Event) -> Option<WindowId> {
    match event {
        Event::LayoutChanged { window, .. }
        | Event::WindowResized { window, .. }
        | Event::ZoomChanged { window, .. }
        | Event::WindowClosed { window } => Some(*window),
        Event::WindowOpened(e) => Some(e.window),
        _ => None,
    }
}

fn sizes(world: &World, windows: &BTreeSet<WindowId>) -> BTreeMap<PaneId, Size> {
    let windows = windows.iter().filter_map(|id| world.windows.get(id));
    windows.flat_map(|window| window.places()).map(|(pane, place)| (pane, place.size())).collect()
}
