//! Resets: RIS, DECSTR, and the alignment test, which starts from a blank screen.

use crate::cell::Cell;
use crate::cursor::{Caret, CursorShape};
use crate::geometry::Area;
use crate::grid::Grid;
use crate::modes::{ModeFlag, Modes};
use crate::terminal::{DeviceSettings, Terminal};

impl Terminal {
    /// RIS. History stays, since it belongs to the user.
    pub(super) fn reset(&mut self) {
        if self.buffers.alternate {
            self.swap_screens();
        }
        self.push_screen_to_history();
        self.buffers.reset(self.revisions.current);
        self.caret = Caret::default();
        self.modes = Modes::default();
        self.settings = DeviceSettings::new(self.buffers.size.cols);
        self.pen.stale = true;
        self.pen.last_char = None;
        self.colors.palette.overrides.clear();
        self.images.reset();
        self.reports.reset();
        self.end_sync();
        self.revisions.mark_full();
    }

    /// Resets what a program may have left behind: its screen, modes, style and reports. Its text stays, and the next
    /// program begins on a line of its own.
    pub(crate) fn begin_program(&mut self) {
        if self.buffers.alternate {
            self.abandon_alternate();
        } else {
            self.reset_modes();
        }
        self.images.pending = None;
        self.reports.begin_program(self.revisions.current);
        let at = self.caret_position();
        self.marks.abandon(at);
        if self.caret.col > 0 {
            self.next_line();
        }
    }

    /// Returns to the primary screen, as a full-screen program that was killed did not, and resets its modes.
    pub(super) fn abandon_alternate(&mut self) {
        self.swap_screens();
        self.buffers.hidden = Grid::new(self.buffers.size);
        self.caret = self.buffers.parked_caret.clone();
        self.reset_modes();
    }

    fn reset_modes(&mut self) {
        self.soft_reset();
        self.modes = Modes::default();
        (self.buffers.state, self.buffers.hidden_state) = Default::default();
        self.settings.cursor_shape = CursorShape::default();
        self.colors.palette.overrides.clear();
        self.end_sync();
        self.revisions.mark_full();
    }

    /// DECSTR.
    pub(super) fn soft_reset(&mut self) {
        let keep = self.modes;
        self.modes =
            Modes { mouse: keep.mouse, encoding: keep.encoding, kitty: keep.kitty, ..Modes::default() };
        for flag in [
            ModeFlag::BracketedPaste,
            ModeFlag::FocusEvents,
            ModeFlag::Synchronized,
            ModeFlag::AllowColumns132,
        ] {
            self.modes.set(flag, keep.has(flag));
        }
        self.buffers.reset_margins();
        self.buffers.state.saved = Default::default();
        let Caret { row, col, .. } = self.caret;
        self.caret = Caret { row, col, ..Caret::default() };
        self.pen.stale = true;
        self.settings.soft_reset();
    }

    /// DECALN: fills the screen with E.
    pub(super) fn alignment_test(&mut self) {
        self.buffers.reset_margins();
        self.modes.set(ModeFlag::Origin, false);
        let fill = Cell::BLANK.with_char('E');
        self.work.spend(Area::whole(self.buffers.size).cells());
        self.buffers.grid.blank(Area::whole(self.buffers.size), fill, self.revisions.current);
        self.buffers.grid.make_single(0..self.rows());
        self.move_to(0, 0);
    }
}
