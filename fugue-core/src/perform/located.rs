//! Where a pane's directory is: nothing happened unless it is news.

use fugue_protocol::orchestration::GitLocation;
use fugue_protocol::{Event, PaneId};

use crate::world::World;

/// Git has told where a pane's directory is.
pub(crate) fn located(world: &World, pane: PaneId, place: Option<GitLocation>) -> Vec<Event> {
    let news = world.panes.get(&pane).is_some_and(|pane| pane.place != place);
    news.then_some(Event::PaneLocated { pane, place }).into_iter().collect()
}
