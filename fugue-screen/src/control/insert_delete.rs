//! Insertion and deletion of characters, lines and columns.

use crate::geometry::Area;
use crate::terminal::Terminal;

impl Terminal {
    pub(super) fn insert_chars(&mut self, n: usize) {
        self.caret.wrap_pending = false;
        if !self.within_columns() {
            return;
        }
        let (col, right, fill) = (self.caret.col, self.right_limit(), self.blank());
        self.row().insert(col, n, right, fill);
    }

    pub(super) fn delete_chars(&mut self, n: usize) {
        self.caret.wrap_pending = false;
        if !self.within_columns() {
            return;
        }
        let (col, right, fill) = (self.caret.col, self.right_limit(), self.blank());
        self.row().delete(col, n, right, fill);
        self.row().wrapped = false;
    }

    pub(super) fn insert_lines(&mut self, n: usize) {
        if !self.within_rows() || !self.within_columns() {
            return;
        }
        let below = Area { top: self.caret.row, ..self.buffers.margins };
        self.scroll_area_down(below, n);
        self.carriage_return();
    }

    pub(super) fn delete_lines(&mut self, n: usize) {
        if !self.within_rows() || !self.within_columns() {
            return;
        }
        let below = Area { top: self.caret.row, ..self.buffers.margins };
        let (n, fill) = (n.min(below.bottom - below.top), self.blank());
        self.unlink_row_above(below);
        self.spend_scroll(below, n, fill);
        self.buffers.grid.scroll_up(below, n, fill, self.revisions.current);
        self.carriage_return();
    }

    pub(super) fn insert_columns(&mut self, n: usize) {
        if self.within_rows() && self.within_columns() {
            self.shift_area_right(Area { left: self.caret.col, ..self.buffers.margins }, n);
        }
    }

    pub(super) fn delete_columns(&mut self, n: usize) {
        if self.within_rows() && self.within_columns() {
            self.shift_area_left(Area { left: self.caret.col, ..self.buffers.margins }, n);
        }
    }
}
