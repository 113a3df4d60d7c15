//! Parts that gain or lose cells, as in tmux: a part divides the change among what is in it along that axis.

use super::node::{LayoutNode, LayoutSplit};
use fugue_protocol::geometry::{Axis, Size};

/// How a split passes a change of its size on to its parts. tmux changes the parts in turn by one cell each, so a nested
/// split gets many changes of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Propagation {
    /// Once: the parts take turns.
    AtOnce,
    /// By one cell, again and again: each time, the first part that can changes.
    ByCells,
}

impl<P: Copy + Eq> LayoutNode<P> {
    /// Prepares for `length` cells along `axis` instead of those of `extent`.
    pub(super) fn adjust(&mut self, axis: Axis, extent: Size, length: u16) {
        self.adjust_as(Propagation::AtOnce, axis, extent, length);
    }

    fn adjust_as(&mut self, told: Propagation, axis: Axis, extent: Size, length: u16) {
        match self {
            Self::Pane(_) => {}
            Self::Split(split) if split.axis == axis => split.adjust_along(told, extent, length),
            Self::Split(split) => split.adjust_across(told, extent, length),
        }
    }
}

impl<P: Copy + Eq> LayoutSplit<P> {
    fn adjust_across(&mut self, told: Propagation, extent: Size, length: u16) {
        let (axis, cells) = (self.axis, self.cells(extent));
        for (child, cells) in self.children.iter_mut().zip(cells) {
            child.node.adjust_as(told, axis.other(), extent.with(axis, cells), length);
        }
    }

    fn adjust_along(&mut self, told: Propagation, extent: Size, length: u16) {
        let (cells, least) = (self.cells(extent), self.leasts());
        let new = changed(told, &cells, &least, extent.along(self.axis), length);
        self.refit(Propagation::ByCells, extent, &new);
    }

    /// Moves cells from one child to another.
    pub(super) fn transfer(&mut self, extent: Size, from: usize, to: usize, count: u16) {
        let mut cells = self.cells(extent);
        cells[from] -= count;
        cells[to] += count;
        self.refit(Propagation::AtOnce, extent, &cells);
    }

    /// Gives the children `new` cells.
    pub(super) fn resize_children(&mut self, extent: Size, new: &[u16]) {
        self.refit(Propagation::AtOnce, extent, new);
    }

    fn refit(&mut self, told: Propagation, extent: Size, new: &[u16]) {
        let (axis, old) = (self.axis, self.cells(extent));
        for (at, child) in self.children.iter_mut().enumerate() {
            if old[at] != new[at] {
                child.node.adjust_as(told, axis, extent.with(axis, old[at]), new[at]);
            }
        }
        self.aim(new);
    }
}

/// The cells of parts after a change of their length, none below its `least`.
fn changed(told: Propagation, cells: &[u16], least: &[u16], length: u16, new: u16) -> Vec<u16> {
    let mut cells = cells.to_vec();
    let shrinks = new < length;
    let mut left = length.abs_diff(new);
    let room = |cells: &[u16], at: usize| if shrinks { cells[at] - least[at] } else { u16::MAX - cells[at] };
    while left > 0 {
        let open: Vec<usize> = (0..cells.len()).filter(|at| room(&cells, *at) > 0).collect();
        if open.is_empty() {
            break;
        }
        let takers = if told == Propagation::AtOnce { &open[..] } else { &open[..1] };
        // Whole rounds, as long as all can take part in them.
        let count = u16::try_from(takers.len()).unwrap_or(u16::MAX);
        let rounds = takers.iter().map(|at| room(&cells, *at)).min().unwrap_or_default().min(left / count);
        let turns: Vec<(usize, u16)> = match rounds {
            0 => takers.iter().take(left.into()).map(|at| (*at, 1)).collect(),
            rounds => takers.iter().map(|at| (*at, rounds)).collect(),
        };
        for (at, by) in turns {
            cells[at] = if shrinks { cells[at] - by } else { cells[at] + by };
            left -= by;
        }
    }
    cells
}
