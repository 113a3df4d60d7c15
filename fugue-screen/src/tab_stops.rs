//! Tab stops.

/// Terminals start with a stop every eight columns.
const EVERY: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabStops {
    stops: Vec<bool>,
}

impl TabStops {
    pub fn new(cols: u16) -> TabStops {
        TabStops { stops: (0..usize::from(cols)).map(|col| col % EVERY == 0).collect() }
    }

    pub fn set(&mut self, col: usize, on: bool) {
        if let Some(stop) = self.stops.get_mut(col) {
            *stop = on;
        }
    }

    pub fn clear(&mut self) {
        self.stops.fill(false);
    }

    pub fn resize(&mut self, cols: u16) {
        let known = self.stops.len();
        self.stops.extend((known..usize::from(cols)).map(|col| col % EVERY == 0));
        self.stops.truncate(usize::from(cols));
    }

    /// The next stop after `col`.
    pub fn after(&self, col: usize) -> Option<usize> {
        (col + 1..self.stops.len()).find(|&col| self.stops[col])
    }

    /// The last stop before `col`.
    pub fn before(&self, col: usize) -> Option<usize> {
        (0..col.min(self.stops.len())).rev().find(|&col| self.stops[col])
    }

    pub fn from_stops(stops: Vec<bool>) -> TabStops {
        TabStops { stops }
    }

    /// All stops, for a snapshot.
    pub fn stops(&self) -> &[bool] {
        &self.stops
    }
}
