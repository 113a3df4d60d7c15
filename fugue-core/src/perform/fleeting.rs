//! What programs say of themselves in passing: nothing happened unless it is news.

use fugue_protocol::{Event, PaneId};

use crate::world::World;

/// A program set its title.
pub(crate) fn titled(world: &World, pane: PaneId, title: String) -> Vec<Event> {
    let news = world.panes.get(&pane).is_some_and(|pane| pane.title != title);
    news.then_some(Event::PaneTitled { pane, title }).into_iter().collect()
}

/// A program went to another directory.
pub(crate) fn went_to(world: &World, pane: PaneId, cwd: String) -> Vec<Event> {
    let news = world.panes.get(&pane).is_some_and(|pane| pane.cwd.as_ref() != Some(&cwd));
    news.then_some(Event::PaneWentTo { pane, cwd }).into_iter().collect()
}
