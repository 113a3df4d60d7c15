//! The share of space for a new pane.

use super::weights::WHOLE;
use serde::{Deserialize, Serialize};

/// A share of the available space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Thousandths of the space, rounded so that each pane has its minimum.
    Permille(u16),
    /// This many columns or rows exactly; at least a pane's minimum.
    Cells(u16),
}

impl Share {
    /// Half of the space.
    pub const HALF: Self = Self::Permille(500);

    /// The weights of the rest and of the new pane. Shares in cells start as halves and are set afterwards.
    pub(super) fn ratio(self) -> (u64, u64) {
        let permille = match self {
            Self::Permille(permille) => u64::from(permille.clamp(1, 999)),
            Self::Cells(_) => 500,
        };
        let new = permille * u64::from(WHOLE) / 1000;
        (u64::from(WHOLE) - new, new)
    }
}
