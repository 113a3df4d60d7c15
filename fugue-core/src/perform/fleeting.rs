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

/// A program rang the bell.
pub(crate) fn rang(world: &World, pane: PaneId) -> Vec<Event> {
    may_call(world, pane).then_some(Event::PaneRang { pane }).into_iter().collect()
}

/// Whether a pane is there and not muted.
fn may_call(world: &World, pane: PaneId) -> bool {
    world.panes.get(&pane).is_some_and(|pane| !pane.muted)
}

/// A program has something to tell a person.
pub(crate) fn notified(world: &World, pane: PaneId, title: String, body: String) -> Vec<Event> {
    may_call(world, pane).then_some(Event::PaneNotified { pane, title, body }).into_iter().collect()
}
