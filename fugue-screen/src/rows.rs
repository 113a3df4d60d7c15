//! The rows of a grid. Those below the last row that was ever written take no memory, since most of an idle pane is such
//! rows, and so is all of an alternate screen that no program has entered.

use std::collections::VecDeque;
use std::collections::vec_deque::IterMut;
use std::ops::{Index, IndexMut, Range};

use crate::row::{Row, RowSize};

/// The rows of a grid, from the top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// The first rows. The others are blank and were never changed.
    stored: VecDeque<Row>,
    height: usize,
}

/// A row that was never written.
static BLANK: Row = Row { cells: Vec::new(), revision: 0, wrapped: false, size: RowSize::Single, anchor: 0 };

/// Rows get memory in steps of this many: a prompt and some output are one step, and a full screen takes few.
const STEP: usize = 8;

impl Rows {
    /// Blank rows.
    pub(crate) fn blank(height: usize) -> Self {
        Self { stored: VecDeque::new(), height }
    }

    /// These rows, with blank ones below. There must not be more than `height`.
    pub(crate) fn from_top(stored: VecDeque<Row>, height: usize) -> Self {
        debug_assert!(stored.len() <= height);
        Self { stored, height }
    }

    pub(crate) fn len(&self) -> usize {
        self.height
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Row> {
        (at < self.height).then(|| &mut self[at])
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        self.range(0..self.height)
    }

    pub(crate) fn range(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        range.map(|at| &self[at])
    }

    pub(crate) fn range_mut(&mut self, range: Range<usize>) -> IterMut<'_, Row> {
        self.store(range.end);
        self.stored.range_mut(range)
    }

    /// The same, without the rows that were never written.
    pub(crate) fn written_mut(&mut self, range: Range<usize>) -> IterMut<'_, Row> {
        let end = range.end.min(self.stored.len());
        self.stored.range_mut(range.start.min(end)..end)
    }

    /// All rows as a slice.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Row] {
        self.store(self.height);
        self.stored.make_contiguous()
    }

    /// Moves the first row to the end, and returns it.
    #[inline]
    pub(crate) fn rotate(&mut self) -> Option<&mut Row> {
        self.store(self.height);
        let row = self.stored.pop_front()?;
        self.stored.push_back(row);
        self.stored.back_mut()
    }

    /// Drops rows at the end, or adds blank ones.
    pub(crate) fn resize(&mut self, height: usize) {
        self.stored.truncate(height);
        self.height = height;
    }

    /// Gives the first `count` rows memory.
    #[inline]
    fn store(&mut self, count: usize) {
        if self.stored.len() < count {
            self.store_more(count);
        }
    }

    #[cold]
    fn store_more(&mut self, count: usize) {
        assert!(count <= self.height, "row {count} of {}", self.height);
        let room = count.next_multiple_of(STEP).min(self.height);
        self.stored.reserve_exact(room - self.stored.len());
        self.stored.resize_with(count, Row::default);
    }
}

impl Index<usize> for Rows {
    type Output = Row;

    #[inline]
    fn index(&self, at: usize) -> &Row {
        match self.stored.get(at) {
            Some(row) => row,
            None => {
                assert!(at < self.height, "row {at} of {}", self.height);
                &BLANK
            }
        }
    }
}

impl IndexMut<usize> for Rows {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut Row {
        self.store(at + 1);
        &mut self.stored[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_memory_when_they_are_written() {
        let mut rows = Rows::blank(50);
        assert_eq!((rows.stored.capacity(), rows[49].used()), (0, 0));
        rows[2].wrapped = true;
        assert_eq!((rows.stored.len(), rows.stored.capacity(), rows.len()), (3, STEP, 50));
        assert_eq!(rows.iter().rposition(|row| row.wrapped), Some(2));
        assert_eq!(rows.written_mut(1..50).count(), 2);
        assert_eq!(rows.range_mut(1..50).count(), 49);
        assert_eq!(rows.stored.capacity(), 50);
    }

    #[test]
    fn blank_rows_scroll_and_are_cut_like_others() {
        let mut rows = Rows::blank(3);
        rows[1].wrapped = true;
        assert!(rows.rotate().is_some_and(|row| !row.wrapped));
        assert!(rows[0].wrapped && !rows[2].wrapped);
        rows.resize(1);
        rows.resize(2);
        assert_eq!((rows.iter().filter(|row| row.wrapped).count(), rows.len()), (1, 2));
    }

    #[test]
    #[should_panic(expected = "row 3 of 3")]
    fn a_row_below_the_last_one_does_not_exist() {
        let _ = &Rows::blank(3)[3];
    }
}
