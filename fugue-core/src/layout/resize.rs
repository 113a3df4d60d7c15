//! Resizing by moving a border.

use super::node::{LayoutNode, LayoutSplit};
use super::stretch::{End, take};
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
    /// The panes at the border gain and lose cells. When those that lose have their minimum, the next ones lose; when
    /// none can, the border stops. All others keep their cells.
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
    /// Moves the border after the child `before`, and returns how far it moved.
    fn shift(&mut self, before: usize, after: bool, wanted: u16, extent: Size) -> u16 {
        let (mut cells, least) = (self.cells(extent), self.leasts());
        let (gains, moved) = if after {
            (before, take(&mut cells, &least, before + 1..least.len(), wanted))
        } else {
            (before + 1, take(&mut cells, &least, (0..=before).rev(), wanted))
        };
        cells[gains] += moved;
        self.refit(extent, &cells, |at| if at <= before { End::Last } else { End::First });
        moved
    }
}
