//! The count of all matches, which is made in steps, from the oldest line on.

use crate::copy_mode::rows::CopyPosition;

/// The most matches that are counted: with more, the number says little, and their positions take memory.
const MOST: usize = 10_000;

/// The matches that are counted so far.
#[derive(Debug, Default)]
pub(super) struct MatchCount {
    /// Where they begin, in order.
    starts: Vec<CopyPosition>,
    /// The line to count next.
    pub(super) next: usize,
    /// Whether all lines are counted.
    pub(super) is_complete: bool,
}

impl MatchCount {
    /// Adds matches that come after all others.
    pub(super) fn add(&mut self, starts: impl Iterator<Item = CopyPosition>) {
        let room = MOST.saturating_sub(self.starts.len());
        // One more than fits shows that there are more.
        self.starts.extend(starts.take(room + 1));
    }

    /// Whether there are more matches than are counted.
    pub(super) fn is_over(&self) -> bool {
        self.starts.len() > MOST
    }

    /// The next match after a position or before it, and around the end; `None` if the matches are not all known.
    pub(super) fn next_match(&self, from: CopyPosition, down: bool) -> Option<CopyPosition> {
        if !self.is_complete {
            return None;
        }
        let found = match down {
            true => self.starts.get(self.starts.partition_point(|start| *start <= from)),
            false => self.starts[..self.starts.partition_point(|start| *start < from)].last(),
        };
        found.or(if down { self.starts.first() } else { self.starts.last() }).copied()
    }

    /// The number of the match that begins here, and of all: `3 of 41`, or `41 matches` elsewhere. A plus sign stands
    /// for matches that are not counted.
    pub(super) fn words(&self, at: CopyPosition) -> Option<String> {
        let more = if self.is_complete { "" } else { "+" };
        let count = self.starts.len().min(MOST);
        match (count, self.starts.binary_search(&at)) {
            (0, _) => None,
            (_, Ok(number)) if number < MOST => Some(format!("{} of {count}{more}", number + 1)),
            (1, _) if self.is_complete => Some("1 match".into()),
            _ => Some(format!("{count}{more} matches")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: usize) -> CopyPosition {
        CopyPosition { row, col: 3 }
    }

    fn tally(count: usize) -> MatchCount {
        let mut tally = MatchCount::default();
        tally.add((0..count).map(|row| at(row * 2)));
        tally.is_complete = !tally.is_over();
        tally
    }

    #[test]
    fn a_match_has_a_number_and_a_very_large_count_ends_in_a_plus_sign() {
        let words = |count: usize, row: usize| tally(count).words(at(row));
        assert_eq!(words(41, 4).as_deref(), Some("3 of 41"));
        assert_eq!(words(41, 5).as_deref(), Some("41 matches"));
        assert_eq!(words(1, 1).as_deref(), Some("1 match"));
        assert_eq!(words(0, 0), None);
        assert_eq!(words(MOST, 0).as_deref(), Some("1 of 10000"));
        assert_eq!(words(MOST + 1, 2).as_deref(), Some("2 of 10000+"));
        assert_eq!(words(MOST + 1, MOST * 2).as_deref(), Some("10000+ matches"));
    }

    #[test]
    fn the_next_match_is_around_the_end_where_there_is_none_further() {
        let tally = tally(3);
        let next = |row: usize, down: bool| tally.next_match(at(row), down).map(|found| found.row);
        assert_eq!((next(0, true), next(1, true), next(4, true)), (Some(2), Some(2), Some(0)));
        assert_eq!((next(4, false), next(1, false), next(0, false)), (Some(2), Some(0), Some(4)));
    }
}
