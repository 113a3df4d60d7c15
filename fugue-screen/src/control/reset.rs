//! Back to the start: RIS, DECSTR, and the alignment test that wants a clean slate.

use crate::cell::Cell;
use crate::grid::{Area, Grid};
use crate::modes::{Flag, Modes};
use crate::screen::CursorShape;
use crate::tabs::Tabs;
use crate::terminal::{Caret, Side, Terminal};

impl Terminal {
    /// RIS. History stays: it is the user's.
    pub(super) fn reset(&mut self) {
        if self.alternate {
            self.swap_screens();
        }
        self.keep_screen();
        self.grid = Grid { moved: self.revision, ..Grid::new(self.size) };
        self.other = Grid::new(self.size);
        self.side = Side::default();
        self.other_side = Side::default();
        self.caret = Caret::default();
        self.modes = Modes::default();
        self.saved_modes = Modes::default();
        self.end_sync();
        self.margins = Area::whole(self.size);
        self.tabs = Tabs::new(self.size.cols);
        self.shape = CursorShape::default();
        self.pen_is_old = true;
        self.guards = false;
        self.extent = 0;
        self.level = 64;
        self.last = None;
        self.placing = None;
        self.doubles = false;
        self.titles.clear();
        self.colors.changed.clear();
        self.said.reset();
        self.whole_since = self.revision;
    }

    /// What a program may have left behind: its screen, its modes, its style, its words. Its text stays.
    pub(crate) fn begin_program(&mut self) {
        if self.alternate {
            self.swap_screens();
            self.caret = self.left_caret.clone();
        }
        self.soft_reset();
        self.whole_since = self.revision;
        self.modes = Modes::default();
        (self.side, self.other_side) = Default::default();
        self.end_sync();
        self.shape = CursorShape::default();
        self.colors.changed.clear();
        self.titles.clear();
        self.title.clear();
        self.title_revision = self.revision;
        self.said = Default::default();
        let at = self.caret_position();
        self.marks.abandon(at);
    }

    /// DECSTR.
    pub(super) fn soft_reset(&mut self) {
        let keep = self.modes;
        self.modes =
            Modes { mouse: keep.mouse, encoding: keep.encoding, kitty: keep.kitty, ..Modes::default() };
        for flag in [Flag::BracketedPaste, Flag::FocusEvents, Flag::Synchronized, Flag::AllowColumns132] {
            self.modes.set(flag, keep.has(flag));
        }
        self.margins = Area::whole(self.size);
        self.side.saved = Default::default();
        let Caret { row, col, .. } = self.caret;
        self.caret = Caret { row, col, ..Caret::default() };
        self.pen_is_old = true;
        self.guards = false;
        self.extent = 0;
        self.placing = None;
    }

    /// DECALN: the screen is filled with E.
    pub(super) fn alignment_test(&mut self) {
        self.margins = Area::whole(self.size);
        self.modes.set(Flag::Origin, false);
        let fill = Cell::BLANK.with_char('E');
        self.grid.blank(Area::whole(self.size), fill, self.revision);
        self.grid.make_single(0..self.rows());
        self.go(0, 0);
    }
}
