//! tmux's numbers for sessions (`$0`), windows (`@1`) and panes (`%2`): counted up, and never given twice.

use fugue_protocol::Event;
use serde::{Deserialize, Serialize};

use crate::effect::ChildSpec;
use crate::world::World;

/// The numbers that come next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextNumbers {
    session: u64,
    window: u64,
    pane: u64,
}

fn take(next: &mut u64) -> u64 {
    let number = *next;
    *next += 1;
    number
}

impl NextNumbers {
    pub(crate) fn session(&mut self) -> u64 {
        take(&mut self.session)
    }

    pub(crate) fn window(&mut self) -> u64 {
        take(&mut self.window)
    }

    pub(crate) fn pane(&mut self) -> u64 {
        take(&mut self.pane)
    }

    /// Notes that a pane got the number that its program was told.
    pub(crate) fn used_for_pane(&mut self, number: u64) {
        self.pane = self.pane.max(number + 1);
    }
}

/// Numbers the panes of children, so that their programs can be told. A new pane gets the next number that has not been
/// promised to a child of another request.
pub(crate) fn assign<'a>(
    world: &World,
    promised: impl Iterator<Item = &'a ChildSpec>,
    children: &mut [ChildSpec],
) {
    let after = promised.map(|child| child.numbers.pane + 1).max().unwrap_or_default();
    let mut next = world.next_numbers.pane.max(after);
    for child in children {
        let session = world.sessions.get(&child.session).map(|session| session.number);
        child.numbers.session = session.unwrap_or(world.next_numbers.session);
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

impl World {
    /// Numbers what a daemon that did not know numbers stored.
    pub fn number_old_state(&mut self) {
        if self.next_numbers == NextNumbers::default() {
            self.sessions.values_mut().for_each(|session| session.number = self.next_numbers.session());
            self.windows.values_mut().for_each(|window| window.number = self.next_numbers.window());
            self.panes.values_mut().for_each(|pane| pane.number = self.next_numbers.pane());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_up() {
        let mut numbers = NextNumbers::default();
        assert_eq!((numbers.pane(), numbers.pane(), numbers.window()), (0, 1, 0));
    }
}
