//! The primary and the alternate screen: their rows, the state that each keeps for itself, and what both share.

use crate::cursor::{Caret, SavedCursor};
use crate::geometry::{Area, Size};
use crate::grid::Grid;

/// The state that each of the two screens has for itself, apart from its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ScreenState {
    pub saved: SavedCursor,
    /// The stack of kitty keyboard flags.
    pub kitty: Vec<u8>,
}

/// The two screens. Switching between them swaps their contents, so that `grid` is always the one that is shown.
#[derive(Clone, Debug)]
pub(crate) struct ScreenBuffers {
    pub size: Size,
    /// The scroll region and the left and right margins, which both screens share.
    pub margins: Area,
    /// The rows that are shown.
    pub grid: Grid,
    /// The rows of the screen that is not shown.
    pub hidden: Grid,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    pub state: ScreenState,
    pub hidden_state: ScreenState,
    /// Where the caret was on the primary screen when the alternate one was entered.
    pub parked_caret: Caret,
    /// Some row may be of double width, so every move has to check.
    pub has_double_rows: bool,
}

impl ScreenBuffers {
    pub(crate) fn new(size: Size) -> Self {
        Self {
            size,
            margins: Area::whole(size),
            grid: Grid::new(size),
            hidden: Grid::new(size),
            alternate: false,
            state: ScreenState::default(),
            hidden_state: ScreenState::default(),
            parked_caret: Caret::default(),
            has_double_rows: false,
        }
    }

    /// Shows the other screen.
    pub(crate) fn swap(&mut self) {
        std::mem::swap(&mut self.grid, &mut self.hidden);
        std::mem::swap(&mut self.state, &mut self.hidden_state);
        self.alternate = !self.alternate;
    }

    /// Empties both screens. The primary one must be shown.
    pub(crate) fn reset(&mut self, revision: u64) {
        let parked_caret = std::mem::take(&mut self.parked_caret);
        *self = Self { parked_caret, ..Self::new(self.size) };
        self.grid.moved = revision;
    }

    /// Sets the margins to the whole screen.
    pub(crate) fn reset_margins(&mut self) {
        self.margins = Area::whole(self.size);
    }

    /// The rows of the primary screen, shown or not.
    pub(crate) fn primary(&self) -> &Grid {
        if self.alternate { &self.hidden } else { &self.grid }
    }

    /// The kitty keyboard flags in effect.
    pub(crate) fn kitty_flags(&self) -> u8 {
        self.state.kitty.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_screen_keeps_its_own_rows_and_state() {
        let mut buffers = ScreenBuffers::new(Size { cols: 4, rows: 2 });
        buffers.grid.rows[0].wrapped = true;
        buffers.state.kitty.push(5);
        buffers.swap();
        assert!(buffers.alternate && !buffers.grid.rows[0].wrapped);
        assert!(buffers.primary().rows[0].wrapped);
        assert_eq!(buffers.kitty_flags(), 0);
        buffers.swap();
        assert!(!buffers.alternate && buffers.grid.rows[0].wrapped);
        assert_eq!(buffers.kitty_flags(), 5);
    }

    #[test]
    fn a_reset_empties_both_screens_and_keeps_the_size() {
        let mut buffers = ScreenBuffers::new(Size { cols: 4, rows: 2 });
        buffers.margins.top = 1;
        buffers.state.kitty.push(5);
        buffers.reset(7);
        assert_eq!(buffers.margins, Area::whole(Size { cols: 4, rows: 2 }));
        assert_eq!((buffers.grid.moved, buffers.kitty_flags()), (7, 0));
    }
}
