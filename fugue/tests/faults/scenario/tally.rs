//! The result of one part of the scenario.

use std::fmt;
use std::time::{Duration, Instant};

/// The differences that are printed for each part: the first ones tell the cause.
const MAX_DIFFERENCES: usize = 10;

/// The counts of one part, and its differences from the model.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub part: &'static str,
    /// What was compared, in words.
    pub counts: String,
    pub lost: usize,
    pub doubled: usize,
    pub wrong: usize,
    /// The slowest call that was answered, which includes the recovery from a kill.
    pub slowest: Duration,
    differences: Vec<String>,
}

impl Tally {
    pub(crate) fn new(part: &'static str) -> Self {
        Self { part, ..Self::default() }
    }

    pub(crate) fn lose(&mut self, count: usize, difference: impl FnOnce() -> String) {
        self.lost += count;
        self.note(count, difference);
    }

    pub(crate) fn double(&mut self, count: usize, difference: impl FnOnce() -> String) {
        self.doubled += count;
        self.note(count, difference);
    }

    pub(crate) fn mistake(&mut self, difference: impl FnOnce() -> String) {
        self.wrong += 1;
        self.note(1, difference);
    }

    fn note(&mut self, count: usize, difference: impl FnOnce() -> String) {
        if count > 0 && self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(difference());
        }
    }

    /// Carries something out and records how long it took.
    pub(crate) fn timed<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = act();
        self.slowest = self.slowest.max(begun.elapsed());
        result
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, counts, lost, doubled, wrong, slowest, differences } = self;
        let slowest = slowest.as_millis();
        write!(f, "{part}: {counts}; {lost} lost, {doubled} doubled, {wrong} wrong; slowest {slowest} ms")?;
        differences.iter().try_for_each(|difference| write!(f, "\n    {difference}"))
    }
}
