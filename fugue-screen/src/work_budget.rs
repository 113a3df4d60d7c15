//! A budget of work. Most output costs what its bytes cost, but a sequence of four bytes may change every cell of the
//! screen. Such sequences are charged by the cells that they touch, so that output can be processed in turns of bounded
//! length.

/// The work in one turn, in cells: about a millisecond. The usual output of a turn has a few thousand at most.
const TURN: usize = 256 << 10;

/// Moving or looking up a row costs about as much as this many cells.
pub(crate) const ROW: usize = 4;

/// Looking up the style of a cell costs about as much as filling this many.
pub(crate) const STYLED_CELL: usize = 8;

/// The work that output has caused, and what is left of the budget.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkBudget {
    left: usize,
    /// All work since the screen was created.
    done: u64,
}

impl WorkBudget {
    /// Begins a turn.
    pub(crate) fn begin(&mut self, budget: usize) {
        self.left = budget;
    }

    /// Begins a turn of the usual length.
    pub(crate) fn begin_turn(&mut self) {
        self.begin(TURN);
    }

    /// Takes work from the budget. What is begun is finished, even if it is more than what is left.
    #[inline]
    pub(crate) fn spend(&mut self, cells: usize) {
        self.left = self.left.saturating_sub(cells);
        self.done += cells as u64;
    }

    /// Ends the turn, so that what has happened can be handled before more output.
    pub(crate) fn end_turn(&mut self) {
        self.left = 0;
    }

    /// Whether nothing is left.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// All work since the screen was created, in cells.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }
}
