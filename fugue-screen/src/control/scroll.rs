//! Rows move: line feeds, index, scrolling. What leaves the primary screen at the top goes to history.

use crate::grid::Area;
use crate::modes::Flag;
use crate::terminal::Terminal;

impl Terminal {
    #[inline]
    pub(super) fn line_feed(&mut self) {
        self.index();
        if self.has(Flag::NewLine) {
            self.carriage_return();
        }
    }

    /// Down one row; at the bottom margin the text moves up instead.
    #[inline]
    pub fn index(&mut self) {
        self.caret.wrap = false;
        if self.caret.row + 1 == self.margins.bottom {
            if self.within_columns() {
                self.scroll_area_up(self.margins, 1);
            }
        } else if self.caret.row + 1 < self.rows() {
            self.caret.row += 1;
            self.stay_within_row();
        }
    }

    pub(super) fn index_control(&mut self) {
        self.index();
    }

    pub(super) fn next_line(&mut self) {
        self.index();
        self.carriage_return();
    }

    pub(super) fn reverse_index(&mut self) {
        self.caret.wrap = false;
        if self.caret.row == self.margins.top {
            if self.within_columns() {
                self.scroll_area_down(self.margins, 1);
            }
        } else {
            self.caret.row = self.caret.row.saturating_sub(1);
            self.stay_within_row();
        }
    }

    pub(super) fn within_columns(&self) -> bool {
        (self.margins.left..self.margins.right).contains(&self.caret.col)
    }

    pub(super) fn within_rows(&self) -> bool {
        (self.margins.top..self.margins.bottom).contains(&self.caret.row)
    }

    pub(super) fn scroll_up(&mut self, n: usize) {
        self.scroll_area_up(self.margins, n);
    }

    pub(super) fn scroll_down(&mut self, n: usize) {
        self.scroll_area_down(self.margins, n);
    }

    pub fn scroll_area_up(&mut self, area: Area, n: usize) {
        let n = n.min(area.bottom - area.top);
        let fill = self.blank();
        if area.top == 0 && !self.alternate && self.grid.is_full_width(area) {
            for row in 0..n {
                self.history.push(&self.grid.rows[row], self.grid.cols, &self.tables);
            }
            self.marks.forget_before(self.history.first());
        } else {
            self.part_from_above(area);
        }
        self.grid.scroll_up(area, n, fill, self.revision);
    }

    pub fn scroll_area_down(&mut self, area: Area, n: usize) {
        self.part_from_above(area);
        let fill = self.blank();
        self.grid.scroll_down(area, n, fill, self.revision);
    }

    /// The row above no longer goes on in what will be the first row of the area.
    pub(super) fn part_from_above(&mut self, area: Area) {
        if !self.grid.is_full_width(area) {
            return;
        }
        match area.top {
            0 if !self.alternate => self.history.close(),
            0 => {}
            row => self.grid.rows[row - 1].end_here(self.revision),
        }
    }

    /// DECBI: left one column; at the left margin the text moves right instead.
    pub(super) fn back_index(&mut self) {
        if self.caret.col != self.margins.left {
            return self.go(self.caret.row, self.caret.col.saturating_sub(1));
        }
        if self.within_rows() {
            self.push_right(self.margins, 1);
        }
    }

    /// DECFI.
    pub(super) fn forward_index(&mut self) {
        if self.caret.col + 1 != self.margins.right {
            return self.go(self.caret.row, self.caret.col + 1);
        }
        if self.within_rows() {
            self.push_left(self.margins, 1);
        }
    }

    /// SL.
    pub(super) fn shift_left(&mut self, n: usize) {
        if self.within_rows() && self.within_columns() {
            self.push_left(self.margins, n);
        }
    }

    /// SR.
    pub(super) fn shift_right(&mut self, n: usize) {
        if self.within_rows() && self.within_columns() {
            self.push_right(self.margins, n);
        }
    }

    pub(super) fn push_left(&mut self, area: Area, n: usize) {
        let (fill, revision) = (self.blank(), self.revision);
        for row in self.grid.rows.range_mut(area.top..area.bottom) {
            row.delete(area.left, n, area.right, fill);
            row.revision = revision;
        }
    }

    pub(super) fn push_right(&mut self, area: Area, n: usize) {
        let (fill, revision) = (self.blank(), self.revision);
        for row in self.grid.rows.range_mut(area.top..area.bottom) {
            row.insert(area.left, n, area.right, fill);
            row.revision = revision;
        }
    }
}
