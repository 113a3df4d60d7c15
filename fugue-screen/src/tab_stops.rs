//! Tab stops.

/// Terminals start with a stop every eight columns.
const EVERY: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabStops {
    stops: Vec<bool>,
}

impl TabStops {
    pub(crate) fn new(cols: u16) -> Self {
        Self { stops: (0..usize::from(cols)).map(|col| col % EVERY == 0).collect() }
    }

    pub(crate) fn set(&mut self, col: usize, on: bool) {
        if let Some(stop) = self.stops.get_mut(col) {
            *stop = on;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.stops.fill(false);
    }

    pub(crate) fn resize(&mut self, cols: u16) {
        let known = self.stops.len();
        self.stops.extend((known..usize::from(cols)).map(|col| col % EVERY == 0));
        self.stops.truncate(usize::from(cols));
    }

    /// The next stop after `col`.
    pub(crate) fn after(&self, col: usize) -> Option<usize> {
        (col + 1..self.stops.len()).find(|&col| self.stops[col])
    }

    /// The last stop before `col`.
    pub(crate) fn before(&self, col: usize) -> Option<usize> {
        (0..col.min(self.stops.len())).rev().find(|&col| self.stops[col])
    }

    pub(crate) fn from_stops(stops: Vec<bool>) -> Self {
        Self { stops }
    }

    /// All stops, for a snapshot.
    pub(crate) fn stops(&self) -> &[bool] {
        &self.stops
    }
}
