//! Line feeds, index and scrolling. Rows that leave the primary screen at the top go to history.

use crate::cell::Cell;
use crate::geometry::Area;
use crate::modes::ModeFlag;
use crate::terminal::Terminal;
use crate::work_budget::ROW;

impl Terminal {
    #[inline]
    pub(super) fn line_feed(&mut self) {
        self.index();
        if self.has(ModeFlag::NewLine) {
            self.carriage_return();
        }
    }

    /// Moves down one row; at the bottom margin the text scrolls up instead.
    #[inline]
    pub(crate) fn index(&mut self) {
        self.caret.wrap_pending = false;
        if self.caret.row + 1 == self.buffers.margins.bottom {
            if self.within_columns() {
                self.scroll_area_up(self.buffers.margins, 1);
            }
        } else if self.caret.row + 1 < self.rows() {
            self.caret.row += 1;
            self.clamp_to_row_width();
        }
    }

    pub(super) fn next_line(&mut self) {
        self.index();
        self.carriage_return();
    }

    pub(super) fn reverse_index(&mut self) {
        self.caret.wrap_pending = false;
        if self.caret.row == self.buffers.margins.top {
            if self.within_columns() {
                self.scroll_area_down(self.buffers.margins, 1);
            }
        } else {
            self.caret.row = self.caret.row.saturating_sub(1);
            self.clamp_to_row_width();
        }
    }

    pub(super) fn within_columns(&self) -> bool {
        (self.buffers.margins.left..self.buffers.margins.right).contains(&self.caret.col)
    }

    pub(super) fn within_rows(&self) -> bool {
        (self.buffers.margins.top..self.buffers.margins.bottom).contains(&self.caret.row)
    }

    pub(super) fn scroll_up(&mut self, n: usize) {
        self.scroll_area_up(self.buffers.margins, n);
    }

    pub(super) fn scroll_down(&mut self, n: usize) {
        self.scroll_area_down(self.buffers.margins, n);
    }

    pub(crate) fn scroll_area_up(&mut self, area: Area, n: usize) {
        let n = n.min(area.bottom - area.top);
        let fill = self.blank();
        // A blank row at the bottom of the screen, as nearly all output scrolls in, costs no more than its byte.
        if n != 1 || fill != Cell::BLANK || area != Area::whole(self.buffers.size) {
            self.spend_scroll(area, n, fill);
        }
        if area.top == 0 && !self.buffers.alternate && self.buffers.grid.is_full_width(area) {
            for row in 0..n {
                self.history.push(&self.buffers.grid.rows[row], self.buffers.grid.cols, &self.interner);
            }
            self.marks.forget_before(self.history.first());
        } else {
            self.unlink_row_above(area);
        }
        self.buffers.grid.scroll_up(area, n, fill, self.revisions.current);
    }

    pub(crate) fn scroll_area_down(&mut self, area: Area, n: usize) {
        self.unlink_row_above(area);
        let fill = self.blank();
        self.spend_scroll(area, n.min(area.bottom - area.top), fill);
        self.buffers.grid.scroll_down(area, n, fill, self.revisions.current);
    }

    /// Charges scrolling an area by `n` rows.
    pub(super) fn spend_scroll(&mut self, area: Area, n: usize, fill: Cell) {
        let moved = if self.buffers.grid.is_full_width(area) { 0 } else { area.right - area.left };
        let filled = if fill == Cell::BLANK { 0 } else { n * self.cols() };
        self.work.spend((area.bottom - area.top) * (moved + ROW) + filled);
    }

    /// Ends the line of the row above the area, since another row will follow it.
    pub(super) fn unlink_row_above(&mut self, area: Area) {
        if !self.buffers.grid.is_full_width(area) {
            return;
        }
        match area.top {
            0 if !self.buffers.alternate => self.history.close(),
            0 => {}
            row => self.buffers.grid.rows[row - 1].end_line(self.revisions.current),
        }
    }

    /// DECBI: moves left one column; at the left margin the text moves right instead.
    pub(super) fn back_index(&mut self) {
        if self.caret.col != self.buffers.margins.left {
            return self.move_to(self.caret.row, self.caret.col.saturating_sub(1));
        }
        if self.within_rows() {
            self.shift_area_right(self.buffers.margins, 1);
        }
    }

    /// DECFI.
    pub(super) fn forward_index(&mut self) {
        if self.caret.col + 1 != self.buffers.margins.right {
            return self.move_to(self.caret.row, self.caret.col + 1);
        }
        if self.within_rows() {
            self.shift_area_left(self.buffers.margins, 1);
        }
    }

    /// SL.
    pub(super) fn shift_left(&mut self, n: usize) {
        if self.within_rows() && self.within_columns() {
            self.shift_area_left(self.buffers.margins, n);
        }
    }

    /// SR.
    pub(super) fn shift_right(&mut self, n: usize) {
        if self.within_rows() && self.within_columns() {
            self.shift_area_right(self.buffers.margins, n);
        }
    }

    pub(super) fn shift_area_left(&mut self, area: Area, n: usize) {
        self.work.spend(area.cells());
        let (fill, revision) = (self.blank(), self.revisions.current);
        for row in self.buffers.grid.rows.range_mut(area.top..area.bottom) {
            row.delete(area.left, n, area.right, fill);
            row.revision = revision;
        }
    }

    pub(super) fn shift_area_right(&mut self, area: Area, n: usize) {
        self.work.spend(area.cells());
        let (fill, revision) = (self.blank(), self.revisions.current);
        for row in self.buffers.grid.rows.range_mut(area.top..area.bottom) {
            row.insert(area.left, n, area.right, fill);
            row.revision = revision;
        }
    }
}
