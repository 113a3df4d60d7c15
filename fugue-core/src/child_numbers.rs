//! The numbers of panes and sessions whose programs are being started: a program is told its number before its pane exists.

use fugue_protocol::Event;

use crate::effect::ChildSpec;
use crate::world::World;

/// Numbers the panes of children, so that their programs can be told. A new pane gets the next number that has not been
/// promised to a child of another request.
pub(crate) fn assign<'a>(
    world: &World,
    promised: impl Iterator<Item = &'a ChildSpec>,
    children: &mut [ChildSpec],
) {
    let promised = promised.map(|child| (child.numbers.pane + 1, child.numbers.session + 1));
    let after = promised.fold((0, 0), |after, of| (after.0.max(of.0), after.1.max(of.1)));
    let mut next = world.next_numbers.upcoming_pane().max(after.0);
    let next_session = world.next_numbers.upcoming_session().max(after.1);
    for child in children {
        let session = world.sessions.get(&child.session).map(|session| session.number);
        child.numbers.session = session.unwrap_or(next_session);
        child.numbers.pane = world.panes.get(&child.pane).map_or(next, |pane| pane.number);
        next = next.max(child.numbers.pane + 1);
    }
}

/// Returns the events that give new panes the numbers that their programs were told, where the next ones are others.
pub(crate) fn told(world: &World, children: &[ChildSpec], events: &[Event]) -> Vec<Event> {
    let mut next = world.next_numbers;
    let opened = events.iter().filter_map(|event| match event {
        Event::PaneOpened(opened) => Some((opened.pane, next.pane())),
        _ => None,
    });
    let numbered = opened.filter_map(|(pane, own)| {
        let told = children.iter().find(|child| child.pane == pane)?.numbers.pane;
        (told != own).then_some(Event::PaneNumbered { pane, number: told })
    });
    numbered.collect()
}

/// Gives new sessions the numbers that their programs were told, where the next one is another.
pub(crate) fn keep_told(world: &World, children: &[ChildSpec], events: &mut [Event]) {
    for event in events {
        if let Event::SessionCreated(created) = event {
            let child = children.iter().find(|child| child.session == created.session);
            let told = child.map(|child| child.numbers.session);
            created.number = told.filter(|told| *told != world.next_numbers.upcoming_session());
        }
    }
}
