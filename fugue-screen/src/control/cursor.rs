//! Cursor movement. Rows and columns count from 1 in sequences, and from 0 here.

use crate::cursor::{Protection, SavedCursor};
use crate::modes::ModeFlag;
use crate::terminal::Terminal;

impl Terminal {
    /// Moves the caret, and keeps it on the screen.
    pub(crate) fn move_to(&mut self, row: usize, col: usize) {
        self.caret.row = row.min(self.rows() - 1);
        self.caret.col = col.min(self.row_width(self.caret.row) - 1);
        self.caret.wrap_pending = false;
    }

    /// CUP. In origin mode, positions count from the margins and stay within them.
    pub(super) fn set_position(&mut self, row: usize, col: usize) {
        if self.has(ModeFlag::Origin) {
            let m = self.buffers.margins;
            self.move_to((m.top + row - 1).min(m.bottom - 1), (m.left + col - 1).min(m.right - 1));
        } else {
            self.move_to(row - 1, col - 1);
        }
    }

    pub(super) fn move_to_column(&mut self, col: usize) {
        let row = self.row_number();
        self.set_position(row, col);
    }

    pub(super) fn move_to_line(&mut self, row: usize) {
        let col = self.col_number();
        self.set_position(row, col);
    }

    pub(super) fn column_forward(&mut self, n: usize) {
        self.move_to_column(self.col_number() + n);
    }

    pub(super) fn line_forward(&mut self, n: usize) {
        self.move_to_line(self.row_number() + n);
    }

    /// The caret's row as a sequence would give it.
    pub(super) fn row_number(&self) -> usize {
        let top = if self.has(ModeFlag::Origin) { self.buffers.margins.top } else { 0 };
        self.caret.row.saturating_sub(top) + 1
    }

    pub(super) fn col_number(&self) -> usize {
        let left = if self.has(ModeFlag::Origin) { self.buffers.margins.left } else { 0 };
        self.caret.col.saturating_sub(left) + 1
    }

    pub(super) fn cursor_up(&mut self, n: usize) {
        let top = if self.caret.row >= self.buffers.margins.top { self.buffers.margins.top } else { 0 };
        self.move_to(self.caret.row.saturating_sub(n).max(top), self.caret.col);
    }

    pub(super) fn cursor_down(&mut self, n: usize) {
        let bottom = if self.caret.row < self.buffers.margins.bottom {
            self.buffers.margins.bottom
        } else {
            self.rows()
        };
        self.move_to((self.caret.row + n).min(bottom - 1), self.caret.col);
    }

    pub(super) fn cursor_right(&mut self, n: usize) {
        let right = self.right_limit();
        self.move_to(self.caret.row, (self.caret.col + n).min(right - 1));
    }

    pub(super) fn cursor_left(&mut self, n: usize) {
        if self.has(ModeFlag::ReverseWrap) || self.has(ModeFlag::ExtendedReverseWrap) {
            return self.cursor_left_wrapping(n);
        }
        self.move_to(self.caret.row, self.caret.col.saturating_sub(n).max(self.left_limit()));
    }

    fn left_limit(&self) -> usize {
        if self.caret.col >= self.buffers.margins.left { self.buffers.margins.left } else { 0 }
    }

    /// Moves left, and from the first column to the last one of the row above (reverse wrap).
    fn cursor_left_wrapping(&mut self, n: usize) {
        let mut n = n.min(self.rows() * self.cols());
        self.work.spend(n);
        if self.caret.wrap_pending && self.has(ModeFlag::Autowrap) {
            self.caret.wrap_pending = false;
            n -= 1;
        }
        for _ in 0..n {
            if self.caret.col > self.left_limit() {
                self.caret.col -= 1;
            } else if !self.wrap_back() {
                break;
            }
        }
        self.caret.wrap_pending = false;
    }

    fn wrap_back(&mut self) -> bool {
        if !self.has(ModeFlag::Autowrap) {
            return false;
        }
        let top = if self.caret.row >= self.buffers.margins.top { self.buffers.margins.top } else { 0 };
        let extended = self.has(ModeFlag::ExtendedReverseWrap);
        let row = match self.caret.row {
            row if row > top => row - 1,
            _ if extended => self.buffers.margins.bottom - 1,
            _ => return false,
        };
        if !extended
            && !self.buffers.grid.rows[row].wrapped
            && self.buffers.margins.left == 0
            && self.buffers.margins.right == self.cols()
        {
            return false;
        }
        self.caret.row = row;
        self.caret.col = self.buffers.margins.right - 1;
        true
    }

    pub(super) fn down_to_start(&mut self, n: usize) {
        self.cursor_down(n);
        self.carriage_return();
    }

    pub(super) fn up_to_start(&mut self, n: usize) {
        self.cursor_up(n);
        self.carriage_return();
    }

    #[inline]
    pub(super) fn carriage_return(&mut self) {
        self.caret.col = match self.caret.col >= self.buffers.margins.left || self.has(ModeFlag::Origin) {
            true => self.buffers.margins.left,
            false => 0,
        };
        self.caret.wrap_pending = false;
    }

    pub(super) fn backspace(&mut self) {
        self.cursor_left(1);
    }

    pub(super) fn tab(&mut self, n: usize) {
        // Mode 41, for curses programs that fill a row and then write a tab.
        if self.caret.wrap_pending && self.has(ModeFlag::MoreFix) {
            self.next_line();
        }
        let limit = self.right_limit() - 1;
        for _ in 0..n.min(self.cols()) {
            self.caret.col = self.settings.tab_stops.after(self.caret.col).unwrap_or(limit).min(limit);
        }
    }

    pub(super) fn tab_back(&mut self, n: usize) {
        let least = if self.has(ModeFlag::Origin) { self.buffers.margins.left } else { 0 };
        for _ in 0..n.min(self.cols()) {
            self.caret.col = self.settings.tab_stops.before(self.caret.col).unwrap_or(0).max(least);
        }
        self.caret.wrap_pending = false;
    }

    pub(super) fn clear_tabs(&mut self, which: u16) {
        match which {
            0 => self.settings.tab_stops.set(self.caret.col, false),
            3 => self.settings.tab_stops.clear(),
            _ => {}
        }
    }

    pub(super) fn save_cursor(&mut self) {
        self.buffers.state.saved =
            SavedCursor { caret: self.caret.clone(), origin: self.has(ModeFlag::Origin) };
    }

    pub(super) fn restore_cursor(&mut self) {
        let SavedCursor { caret, origin } = self.buffers.state.saved.clone();
        self.modes.set(ModeFlag::Origin, origin);
        let wrap = caret.wrap_pending;
        self.caret = caret;
        self.pen.stale = true;
        self.move_to(self.caret.row, self.caret.col);
        self.caret.wrap_pending = wrap;
        if origin {
            let m = self.buffers.margins;
            self.move_to(
                self.caret.row.clamp(m.top, m.bottom - 1),
                self.caret.col.clamp(m.left, m.right - 1),
            );
        }
    }

    /// SPA and EPA.
    pub(super) fn set_iso_protection(&mut self, on: bool) {
        self.caret.protection = if on { Protection::Iso } else { Protection::None };
        self.settings.guarded_areas |= on;
        self.pen.stale = true;
    }

    /// DECSCA.
    pub(super) fn set_dec_protection(&mut self, which: u16) {
        self.caret.protection = if which == 1 { Protection::Dec } else { Protection::None };
        self.settings.guarded_areas = false;
        self.pen.stale = true;
    }
}
