//! A small generator of random numbers, so that a seed gives the same cases everywhere.

/// Numbers that differ from each other, and are the same in every run with the same seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Returns a number below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}
