//! Stretching: a part grows or shrinks at one end, and inside it only what is at that end changes.

use super::node::{LayoutNode, LayoutSplit};
use fugue_protocol::geometry::{Axis, Size};

/// The end at which a part gains or loses cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

/// Takes up to `wanted` cells from those above their minimum, in this order. Returns how many it got.
pub(super) fn take(
    cells: &mut [u16],
    least: &[u16],
    order: impl IntoIterator<Item = usize>,
    wanted: u16,
) -> u16 {
    let mut got = 0;
    for at in order {
        let some = (cells[at] - least[at]).min(wanted - got);
        cells[at] -= some;
        got += some;
    }
    got
}

impl<P: Copy + Eq> LayoutSplit<P> {
    /// Gives the children `new` cells; `end` returns the end at which each of them changes.
    pub(super) fn refit(&mut self, extent: Size, new: &[u16], end: impl Fn(usize) -> End) {
        let (axis, old) = (self.axis, self.cells(extent));
        for (at, child) in self.children.iter_mut().enumerate() {
            if old[at] != new[at] {
                child.node.stretch(axis, end(at), extent.with(axis, old[at]), new[at]);
            }
        }
        self.aim(new);
    }
}

impl<P: Copy + Eq> LayoutNode<P> {
    /// Prepares for `length` cells along `axis` instead of those of `extent`, with the difference at `end`.
    fn stretch(&mut self, axis: Axis, end: End, extent: Size, length: u16) {
        match self {
            Self::Pane(_) => {}
            Self::Split(split) if split.axis == axis => split.stretch_along(end, extent, length),
            Self::Split(split) => split.stretch_across(end, extent, length),
        }
    }
}

impl<P: Copy + Eq> LayoutSplit<P> {
    fn stretch_across(&mut self, end: End, extent: Size, length: u16) {
        let (axis, cells) = (self.axis, self.cells(extent));
        for (child, cells) in self.children.iter_mut().zip(cells) {
            child.node.stretch(axis.other(), end, extent.with(axis, cells), length);
        }
    }

    fn stretch_along(&mut self, end: End, extent: Size, length: u16) {
        let mut cells = self.cells(extent);
        let (now, last) = (extent.along(self.axis), cells.len() - 1);
        let lost = now.saturating_sub(length);
        match end {
            End::First => take(&mut cells, &self.leasts(), 0..=last, lost),
            End::Last => take(&mut cells, &self.leasts(), (0..=last).rev(), lost),
        };
        cells[if end == End::First { 0 } else { last }] += length.saturating_sub(now);
        self.refit(extent, &cells, |_| end);
    }
}
