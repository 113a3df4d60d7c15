//! Conversion between weights and cells. Arithmetic on lists, without a tree.
//!
//! A child counts as its cells and one border cell, so that the parts of a split add up to its length plus one
//! and dividing one part leaves the others alone. Borders are where the weights before them add up to, rounded:
//! a border depends on what is on its two sides, never on how those sides are divided. So splitting or
//! closing a pane moves no other border, at any size of the window.

use serde::{Deserialize, Serialize};

/// The weights of a split's children add up to this. Much more than the cells of any window, so that weights
/// can name each cell of it, and far from the end of `u32`.
pub const WHOLE: u32 = 1_000_000;

/// Divides `length` in proportion to `shares`, with none below its `least`.
/// A part below its minimum takes from the next ones, then from the previous ones; all others stay.
pub(super) fn spread(shares: &[u64], length: u64, least: &[u64]) -> Vec<u64> {
    let mut ends = ends(shares, length);
    let mut start = 0;
    for (end, &least) in ends.iter_mut().zip(least) {
        *end = (*end).max(start + least);
        start = *end;
    }
    let mut limit = length;
    for (end, &least) in ends.iter_mut().zip(least).rev() {
        *end = (*end).min(limit);
        limit = end.saturating_sub(least);
    }
    widths(&ends)
}

/// The weights for `ratios`.
pub(super) fn weights(ratios: &[u64]) -> Vec<u32> {
    let least = vec![1; ratios.len()];
    spread(ratios, u64::from(WHOLE), &least).into_iter().map(narrow).collect()
}

/// Divides `weight` in proportion to `parts`.
pub(super) fn subdivide(weight: u32, parts: &[u64]) -> Vec<u32> {
    let none = vec![0; parts.len()];
    spread(parts, u64::from(weight), &none).into_iter().map(narrow).collect()
}

/// The cells of children with these weights in a split of `length` cells, with none below its `least`.
pub(super) fn cells(weights: &[u64], length: u16, least: &[u16]) -> Vec<u16> {
    let least: Vec<u64> = least.iter().map(|&cells| u64::from(cells) + 1).collect();
    let parts = spread(weights, u64::from(length) + 1, &least);
    parts.into_iter().map(|part| u16::try_from(part.saturating_sub(1)).unwrap_or(u16::MAX)).collect()
}

/// Weights that give exactly `cells`. A border that is already right keeps its exact position between the cells,
/// so that nothing drifts at other sizes; the others are moved.
pub(super) fn aimed(weights: &[u64], cells: &[u16]) -> Vec<u32> {
    let whole = u64::from(WHOLE);
    let length: u64 = cells.iter().map(|&c| u64::from(c) + 1).sum();
    let (mut weight, mut goal) = (0, 0);
    let ends: Vec<u64> = weights
        .iter()
        .zip(cells)
        .map(|(&part, &cells)| {
            weight += part;
            goal += u64::from(cells) + 1;
            if scaled(weight, length, whole) == goal { weight } else { scaled(goal, whole, length) }
        })
        .collect();
    widths(&ends).into_iter().map(narrow).collect()
}

fn ends(shares: &[u64], length: u64) -> Vec<u64> {
    let whole = shares.iter().sum::<u64>().max(1);
    let mut sum = 0;
    shares
        .iter()
        .map(|share| {
            sum += share;
            scaled(sum, length, whole)
        })
        .collect()
}

/// `value * times / of`, rounded to nearest, halves up.
fn scaled(value: u64, times: u64, of: u64) -> u64 {
    let (value, times, of) = (u128::from(value), u128::from(times), u128::from(of));
    u64::try_from((2 * value * times + of) / (2 * of)).unwrap_or(u64::MAX)
}

fn widths(ends: &[u64]) -> Vec<u64> {
    let starts = std::iter::once(&0).chain(ends);
    ends.iter().zip(starts).map(|(end, start)| end.saturating_sub(*start)).collect()
}

fn narrow(weight: u64) -> u32 {
    u32::try_from(weight).unwrap_or(u32::MAX)
}

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
