//! tmux's numbers for sessions (`$0`), windows (`@1`) and panes (`%2`): counted up, and never given twice.

use serde::{Deserialize, Serialize};

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
