//! How much of the room a new pane gets.

use super::weights::WHOLE;
use serde::{Deserialize, Serialize};

/// A part of the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Thousandths of the room. What leaves a pane below its least is rounded to it.
    Permille(u16),
    /// That many columns or rows, exactly; a pane's least when it is below.
    Cells(u16),
}

impl Share {
    /// Half of the room.
    pub const HALF: Share = Share::Permille(500);

    /// Hundredths of the room.
    pub const fn percent(percent: u16) -> Self {
        Share::Permille(percent.saturating_mul(10))
    }

    /// The weights of the rest and of the new pane. Cells are aimed at afterwards, so they begin as halves.
    pub(super) fn ratio(self) -> (u64, u64) {
        let permille = match self {
            Share::Permille(permille) => u64::from(permille.clamp(1, 999)),
            Share::Cells(_) => 500,
        };
        let new = permille * u64::from(WHOLE) / 1000;
        (u64::from(WHOLE) - new, new)
    }
}
