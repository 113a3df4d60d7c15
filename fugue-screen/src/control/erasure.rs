//! Erasing parts of a line or of the screen, with and without regard to protected characters.

use std::ops::Range;

use crate::cell::{Cell, GUARDED, PROTECTED};
use crate::geometry::Area;
use crate::terminal::Terminal;
use crate::work_budget::ROW;

impl Terminal {
    pub(super) fn erase_line(&mut self, which: u16, selective: bool) {
        let (row, col) = (self.caret.row, self.caret.col);
        let (left, right) = match which {
            0 => (col, self.cols()),
            1 => (0, col + 1),
            2 => (0, self.cols()),
            _ => return,
        };
        self.caret.wrap_pending = false;
        self.erase(Area { top: row, bottom: row + 1, left, right }, selective);
    }

    pub(super) fn erase_screen(&mut self, which: u16, selective: bool) {
        let whole = Area::whole(self.buffers.size);
        let (row, col) = (self.caret.row, self.caret.col);
        match which {
            0 => {
                let home = (row, col) == (0, 0);
                self.save_before_clearing(home && !selective);
                self.erase_line(0, selective);
                self.erase(Area { top: row + 1, ..whole }, selective);
                self.end_rows(row + usize::from(col > 0)..whole.bottom);
            }
            1 => {
                self.erase(Area { bottom: row, ..whole }, selective);
                self.erase_line(1, selective);
                self.end_rows(0..row);
            }
            2 => {
                self.save_before_clearing(!selective);
                self.erase(whole, selective);
                self.end_rows(0..whole.bottom);
            }
            3 if !self.buffers.alternate => self.clear_history(),
            _ => {}
        }
    }

    /// Removes what whole rows that are erased have besides their text.
    pub(super) fn end_rows(&mut self, rows: Range<usize>) {
        self.buffers.grid.make_single(rows.clone());
        self.erase_images(rows);
    }

    pub(super) fn erase_chars(&mut self, n: usize) {
        let (row, left) = (self.caret.row, self.caret.col);
        self.caret.wrap_pending = false;
        self.erase(Area { top: row, bottom: row + 1, left, right: (left + n).min(self.cols()) }, false);
    }

    /// Moves the screen to history before it is cleared, as tmux does, so that no text is lost and line numbers keep
    /// growing.
    fn save_before_clearing(&mut self, clearing: bool) {
        if clearing && !self.buffers.alternate && !self.settings.guarded_areas {
            self.push_screen_to_history();
        }
    }

    /// Adds the rows of the primary screen to history.
    pub(super) fn push_screen_to_history(&mut self) {
        self.work.spend(self.rows() * ROW);
        let used = self.buffers.grid.rows.iter().rposition(|row| row.used() > 0).map_or(0, |at| at + 1);
        for row in 0..used {
            self.history.push(&self.buffers.grid.rows[row], self.buffers.grid.cols, &self.interner);
        }
        self.history.close();
    }

    pub(crate) fn clear_history(&mut self) {
        self.history.clear();
        self.marks.forget_before(self.history.first());
    }

    /// Blanks an area except for protected cells.
    pub(super) fn erase(&mut self, area: Area, selective: bool) {
        if area.is_empty() {
            return;
        }
        if selective {
            self.erase_sparing(area, PROTECTED);
        } else if self.settings.guarded_areas {
            self.erase_sparing(area, GUARDED);
        } else {
            self.blank_area(area);
        }
    }

    /// Blanks an area in the current background.
    pub(super) fn blank_area(&mut self, area: Area) {
        let fill = self.blank();
        // The cells that a row does not have are blank.
        let is_cut = fill == Cell::BLANK && area.right == self.cols();
        self.work.spend(if is_cut { (area.bottom - area.top) * ROW } else { area.cells() });
        self.buffers.grid.blank(area, fill, self.revisions.current);
    }

    fn erase_sparing(&mut self, area: Area, spared: u16) {
        self.work.spend((area.bottom - area.top) * self.cols());
        let (fill, revision) = (self.blank(), self.revisions.current);
        for row in self.buffers.grid.rows.range_mut(area.top..area.bottom) {
            row.clear_split_wide(area.left);
            row.clear_split_wide(area.right);
            row.map_cells(area.left, area.right, |cell| if cell.is(spared) { cell } else { fill });
            row.clear_orphan_halves();
            row.revision = revision;
        }
    }

    /// DECERA and DECSERA, which erase to plain blanks.
    pub(super) fn erase_rectangle(&mut self, area: Area, selective: bool) {
        self.work.spend((area.bottom - area.top) * self.cols());
        let revision = self.revisions.current;
        for row in self.buffers.grid.rows.range_mut(area.top..area.bottom) {
            row.clear_split_wide(area.left);
            row.clear_split_wide(area.right);
            let spared = if selective { PROTECTED } else { 0 };
            row.map_cells(area.left, area.right, |cell| if cell.is(spared) { cell } else { Cell::BLANK });
            row.clear_orphan_halves();
            row.revision = revision;
        }
    }
}
