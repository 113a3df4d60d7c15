//! tmux's numbers for sessions (`$0`), windows (`@1`) and panes (`%2`): counted up, and never given twice.

use serde::{Deserialize, Serialize};

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
    /// The number of a new session: the next one, unless its program was told another.
    pub(crate) fn session(&mut self, told: Option<u64>) -> u64 {
        let number = told.unwrap_or(self.session);
        self.session = self.session.max(number + 1);
        number
    }

    pub(crate) fn window(&mut self) -> u64 {
        take(&mut self.window)
    }

    pub(crate) fn pane(&mut self) -> u64 {
        take(&mut self.pane)
    }

    /// The number of the next session, which it does not take.
    pub(crate) fn upcoming_session(self) -> u64 {
        self.session
    }

    /// The number of the next pane, which it does not take.
    pub(crate) fn upcoming_pane(self) -> u64 {
        self.pane
    }

    /// Notes that a pane got the number that its program was told.
    pub(crate) fn used_for_pane(&mut self, number: u64) {
        self.pane = self.pane.max(number + 1);
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
