//! The indexes of a session's windows, counted from zero. A window keeps its index when another one is closed, so there
//! may be gaps. The indexes that people see start at the setting `base_index`.

use serde::{Deserialize, Serialize};

/// The highest index that a window can be given, as in tmux.
pub const HIGHEST_SLOT: usize = i32::MAX as usize;

/// The index of each window in a session's list: strictly increasing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSlots(Vec<usize>);

impl WindowSlots {
    /// The indexes of windows without gaps.
    pub fn without_gaps(windows: usize) -> Self {
        Self((0..windows).collect())
    }

    /// The number of windows.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The index of the window at a position of the list.
    pub fn at(&self, position: usize) -> usize {
        self.0.get(position).copied().unwrap_or(position)
    }

    /// The position of the window that has an index.
    pub fn position(&self, slot: usize) -> Option<usize> {
        self.0.binary_search(&slot).ok()
    }

    /// The lowest index that no window has.
    pub fn first_free(&self) -> usize {
        (0..).zip(&self.0).find(|(free, taken)| free < *taken).map_or(self.count(), |(free, _)| free)
    }

    /// The position that a window with this index would get.
    pub fn position_for(&self, slot: usize) -> usize {
        self.0.partition_point(|taken| *taken < slot)
    }

    /// Adds an index and returns its position. If a window has it, that one and those right after it move up by one.
    pub fn insert(&mut self, slot: usize) -> usize {
        let position = self.position_for(slot);
        self.0.insert(position, slot);
        for at in position + 1..self.0.len() {
            if self.0[at] > self.0[at - 1] {
                break;
            }
            self.0[at] = self.0[at - 1] + 1;
        }
        position
    }

    /// Adds the index right after that of the window before a position.
    pub fn insert_at(&mut self, position: usize) -> usize {
        let before = position.min(self.count()).checked_sub(1);
        self.insert(before.map_or(0, |before| self.0[before] + 1))
    }

    /// Frees the index of a window.
    pub fn remove(&mut self, position: usize) {
        self.0.remove(position);
    }

    /// Whether every index is higher than the one before.
    pub fn is_increasing(&self) -> bool {
        self.0.is_sorted_by(|one, next| one < next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_window_gets_the_first_free_index() {
        let mut slots = WindowSlots::without_gaps(4);
        assert_eq!(slots.first_free(), 4);
        slots.remove(1);
        slots.remove(1);
        assert_eq!((slots.first_free(), slots.at(1)), (1, 3));
        assert_eq!(slots.insert(1), 1);
        assert_eq!((slots.first_free(), slots.position(3)), (2, Some(2)));
    }

    #[test]
    fn a_window_at_a_taken_index_moves_up_those_right_after_it() {
        let mut slots = WindowSlots(vec![0, 1, 2, 5]);
        assert_eq!(slots.insert(1), 1);
        assert_eq!(slots.0, [0, 1, 2, 3, 5]);
        assert_eq!(slots.insert_at(1), 1);
        assert_eq!(slots.0, [0, 1, 2, 3, 4, 5]);
        assert_eq!(slots.insert_at(9), 6);
        assert_eq!(slots.at(6), 6);
        assert!(slots.is_increasing());
    }
}
