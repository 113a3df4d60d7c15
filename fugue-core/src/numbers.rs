//! tmux's numbers for sessions (`$0`), windows (`@1`) and panes (`%2`): counted up, and never given twice.

use serde::{Deserialize, Serialize};

/// The numbers that come next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextNumbers {
    session: u64,
    window: u64,
    pane: u64,
    /// That of the next paste buffer without a name of its own.
    #[serde(default)]
    buffer: u64,
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

    /// The number of the next paste buffer that gets its name by itself.
    pub(crate) fn upcoming_buffer(self) -> u64 {
        self.buffer
    }

    /// Notes that a paste buffer got its name by itself. As in tmux, a number is not used again after its buffer is gone.
    pub(crate) fn used_for_buffer(&mut self, name: &str) {
        let number = name.strip_prefix("buffer").and_then(|number| number.parse::<u64>().ok());
        self.buffer = self.buffer.max(number.map_or(0, |number| number.saturating_add(1)));
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
