//! The rows of one screen, and how they scroll. A grid knows nothing about cursors and modes.

use std::collections::VecDeque;
use std::collections::vec_deque::IterMut;

use crate::cell::Cell;
use crate::geometry::{Area, Size};
use crate::row::Row;
use crate::rows::Rows;

#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub rows: Rows,
    pub cols: usize,
    /// The last revision in which all rows changed in some other way than scrolling up.
    pub moved: u64,
    /// How far the rows scrolled up as a whole, as most output makes them do.
    pub scrolled: ScrollLog,
}

/// How far rows scrolled up, by revision. They keep their text, so a viewer that knows the distance does not need them
/// again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScrollLog {
    /// All rows scrolled so far.
    total: u64,
    /// For recent revisions in which rows scrolled: the total before.
    log: VecDeque<(u64, u64)>,
    /// Revisions before this one are no longer in the log.
    known_from: u64,
}

/// Viewers refresh many times a second; one that is further behind gets all rows.
const SCROLLS_KEPT: usize = 64;

impl ScrollLog {
    #[inline]
    fn add(&mut self, rows: usize, revision: u64) {
        if self.log.back().is_none_or(|&(last, _)| last != revision) {
            self.begin(revision);
        }
        self.total += rows as u64;
    }

    fn begin(&mut self, revision: u64) {
        if self.log.len() == SCROLLS_KEPT
            && let Some((oldest, _)) = self.log.pop_front()
        {
            self.known_from = oldest;
        }
        self.log.push_back((revision, self.total));
    }

    /// The rows scrolled since a revision; `None` if that is no longer known.
    pub(crate) fn since(&self, revision: u64) -> Option<u64> {
        if revision < self.known_from {
            return None;
        }
        let first = self.log.partition_point(|&(then, _)| then <= revision);
        Some(self.total - self.log.get(first).map_or(self.total, |&(_, before)| before))
    }
}

impl Grid {
    pub(crate) fn new(size: Size) -> Self {
        let rows = Rows::blank(usize::from(size.rows));
        Self { rows, cols: usize::from(size.cols), moved: 0, scrolled: ScrollLog::default() }
    }

    /// The rows that were ever written.
    pub(crate) fn written_rows(&mut self) -> IterMut<'_, Row> {
        self.rows.written_mut(0..self.rows.len())
    }

    /// Scrolls `area` up; rows of `fill` come in below. The rows that leave are lost: adding them to history is up to
    /// the caller.
    pub(crate) fn scroll_up(&mut self, area: Area, count: usize, fill: Cell, revision: u64) {
        let count = count.min(area.bottom - area.top);
        if self.is_full_width(area) {
            self.roll_up(area, count, fill, revision);
            return;
        }
        for row in area.top..area.bottom - count {
            self.copy_part(row + count, row, area);
        }
        self.blank(Area { top: area.bottom - count, ..area }, fill, revision);
        self.touch(area, revision);
    }

    /// Scrolls `area` down; rows of `fill` come in above.
    pub(crate) fn scroll_down(&mut self, area: Area, count: usize, fill: Cell, revision: u64) {
        let count = count.min(area.bottom - area.top);
        if self.is_full_width(area) {
            self.roll_down(area, count, fill, revision);
            return;
        }
        for row in (area.top + count..area.bottom).rev() {
            self.copy_part(row - count, row, area);
        }
        self.blank(Area { bottom: area.top + count, ..area }, fill, revision);
        self.touch(area, revision);
    }

    pub(crate) fn is_full_width(&self, area: Area) -> bool {
        area.left == 0 && area.right >= self.cols
    }

    fn roll_up(&mut self, area: Area, count: usize, fill: Cell, revision: u64) {
        let whole = area.top == 0 && area.bottom == self.rows.len();
        if whole && count == 1 {
            return self.append_row(fill, revision);
        }
        let (cols, rows) = (self.cols, &mut self.rows.as_mut_slice()[area.top..area.bottom]);
        rows.rotate_left(count);
        let kept = rows.len() - count;
        rows[kept..].iter_mut().for_each(|row| row.clear(cols, fill, revision));
        match whole {
            true => self.scrolled.add(count, revision),
            false => self.touch(area, revision),
        }
    }

    /// Adds a row at the bottom, as most output does.
    fn append_row(&mut self, fill: Cell, revision: u64) {
        let cols = self.cols;
        if let Some(row) = self.rows.rotate() {
            row.clear(cols, fill, revision);
        }
        self.scrolled.add(1, revision);
    }

    fn roll_down(&mut self, area: Area, count: usize, fill: Cell, revision: u64) {
        let (cols, rows) = (self.cols, &mut self.rows.as_mut_slice()[area.top..area.bottom]);
        rows.rotate_right(count);
        rows[..count].iter_mut().for_each(|row| row.clear(cols, fill, revision));
        // The row that is now last is no longer followed by its continuation.
        self.rows[area.bottom - 1].wrapped = false;
        self.touch(area, revision);
    }

    pub(crate) fn touch(&mut self, area: Area, revision: u64) {
        for row in self.rows.range_mut(area.top..area.bottom) {
            row.revision = revision;
        }
    }

    fn copy_part(&mut self, from: usize, to: usize, area: Area) {
        let part: Vec<Cell> = (area.left..area.right).map(|col| self.rows[from].cell(col)).collect();
        self.overwrite(to, area.left, &part);
    }

    /// Overwrites cells of a row with neighbors of another one, and blanks wide characters that are cut.
    pub(crate) fn overwrite(&mut self, row: usize, col: usize, part: &[Cell]) {
        let row = &mut self.rows[row];
        row.clear_split_wide(col);
        row.clear_split_wide(col + part.len());
        row.extend_to(col + part.len());
        row.cells[col..col + part.len()].copy_from_slice(part);
        row.clear_orphan_half(col);
        row.clear_orphan_half(col + part.len() - 1);
    }

    pub(crate) fn blank(&mut self, area: Area, fill: Cell, revision: u64) {
        let rows = match fill {
            Cell::BLANK => self.rows.written_mut(area.top..area.bottom),
            _ => self.rows.range_mut(area.top..area.bottom),
        };
        for row in rows {
            row.fill(area.left, area.right, fill);
            if area.right >= self.cols {
                row.wrapped = false;
            }
            row.revision = revision;
        }
    }
}
