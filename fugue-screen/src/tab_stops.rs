//! Tab stops.

/// Terminals start with a stop every eight columns.
const EVERY: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabStops {
    cols: usize,
    /// Whether each column has a stop. `None` until a program changes one, as hardly any does.
    changed: Option<Vec<bool>>,
}

impl TabStops {
    pub(crate) fn new(cols: u16) -> Self {
        Self { cols: usize::from(cols), changed: None }
    }

    pub(crate) fn set(&mut self, col: usize, on: bool) {
        if col < self.cols && self.is_stop(col) != on {
            self.change()[col] = on;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.change().fill(false);
    }

    pub(crate) fn resize(&mut self, cols: u16) {
        self.cols = usize::from(cols);
        if let Some(stops) = &mut self.changed {
            let known = stops.len();
            stops.extend((known..self.cols).map(is_usual));
            stops.truncate(self.cols);
        }
    }

    /// The next stop after `col`.
    pub(crate) fn after(&self, col: usize) -> Option<usize> {
        (col + 1..self.cols).find(|&col| self.is_stop(col))
    }

    /// The last stop before `col`.
    pub(crate) fn before(&self, col: usize) -> Option<usize> {
        (0..col.min(self.cols)).rev().find(|&col| self.is_stop(col))
    }

    pub(crate) fn from_stops(stops: Vec<bool>) -> Self {
        let is_changed = stops.iter().enumerate().any(|(col, &stop)| stop != is_usual(col));
        Self { cols: stops.len(), changed: is_changed.then_some(stops) }
    }

    /// Whether each column has a stop, for a snapshot.
    pub(crate) fn stops(&self) -> impl Iterator<Item = bool> {
        (0..self.cols).map(|col| self.is_stop(col))
    }

    fn is_stop(&self, col: usize) -> bool {
        self.changed.as_ref().map_or_else(|| is_usual(col), |stops| stops[col])
    }

    fn change(&mut self) -> &mut [bool] {
        self.changed.get_or_insert_with(|| (0..self.cols).map(is_usual).collect())
    }
}

fn is_usual(col: usize) -> bool {
    col.is_multiple_of(EVERY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(stops: &TabStops) -> Vec<usize> {
        stops.stops().enumerate().filter(|(_, stop)| *stop).map(|(col, _)| col).collect()
    }

    #[test]
    fn changed_stops_stay_when_the_width_changes_and_new_columns_have_the_usual_ones() {
        let mut stops = TabStops::new(20);
        assert_eq!(columns(&stops), [0, 8, 16]);
        stops.set(8, false);
        stops.set(9, true);
        stops.set(30, true);
        stops.resize(34);
        assert_eq!(columns(&stops), [0, 9, 16, 24, 32]);
        assert_eq!((stops.after(9), stops.before(9)), (Some(16), Some(0)));
        assert_eq!(TabStops::from_stops(stops.stops().collect()), stops);
    }

    #[test]
    fn usual_stops_take_no_memory() {
        let mut stops = TabStops::new(200);
        stops.set(8, true);
        stops.resize(100);
        assert_eq!(stops.changed, None);
        assert_eq!(TabStops::from_stops(stops.stops().collect()).changed, None);
    }
}
