//! Resizing by moving a border.

use super::node::{LayoutNode, LayoutSplit};
use super::{Layout, LayoutError};
use fugue_protocol::geometry::{Axis, Side, Size};

/// A border of a split: the split's level on the path, and the child before the border.
struct BorderPlace {
    level: usize,
    before: usize,
}

impl<P: Copy + Eq> Layout<P> {
    /// Moves a border of `pane` by this many cells towards `side`, as tmux does: in the nearest split along that axis, the
    /// border after the pane, or the one before it if it is the last one there.
    ///
    /// One side of the border gains the cells, and the other loses them. When those next to it have their minimum, the next
    /// ones lose cells; a part that grows takes them from the other side at last. When none can, the border stops.
    pub fn resize(&self, pane: P, side: Side, by: u16, size: Size) -> Result<Self, LayoutError<P>> {
        let path = self.path_to(pane)?;
        let Some(border) = self.border_along(&path, side.axis()) else {
            return Err(LayoutError::NoBorder { pane, axis: side.axis() });
        };
        let (layout, moved) = self.edited(&path[..border.level], size, |node, extent| match node {
            LayoutNode::Split(split) => Ok(split.shift(border.before, side.is_after(), by, extent)),
            LayoutNode::Pane(_) => Ok(0),
        })?;
        if moved == 0 && by != 0 { Err(LayoutError::Stuck { pane, towards: side }) } else { Ok(layout) }
    }

    /// The border that moves along an axis for the pane at `path`.
    fn border_along(&self, path: &[usize], axis: Axis) -> Option<BorderPlace> {
        let splits = self.root.splits_on(path);
        let level = (0..path.len()).rev().find(|&level| splits[level].axis == axis)?;
        // A split has at least two children.
        let last_border = splits[level].children.len().checked_sub(2)?;
        Some(BorderPlace { level, before: path[level].min(last_border) })
    }
}

impl<P: Copy + Eq> LayoutSplit<P> {
    /// Moves the border after the child `before`, and returns by how much.
    pub(super) fn shift(&mut self, before: usize, after: bool, wanted: u16, extent: Size) -> u16 {
        let mut moved = 0;
        while moved < wanted {
            let (cells, least) = (self.cells(extent), self.leasts());
            let can = |at: &usize| cells[*at] > least[*at];
            let gains = if after { before } else { before + 1 };
            let loses = match after {
                true => (before + 1..cells.len()).find(can).or_else(|| (0..before).rev().find(can)),
                false => (0..=before).rev().find(can),
            };
            let Some(loses) = loses else { break };
            let count = (cells[loses] - least[loses]).min(wanted - moved);
            self.transfer(extent, loses, gains, count);
            moved += count;
        }
        moved
    }
}
