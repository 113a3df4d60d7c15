//! Resizing by moving a border.

use super::node::{LayoutNode, LayoutSplit};
use super::stretch::{End, take};
use super::{Layout, LayoutError};
use fugue_protocol::geometry::{Side, Size};

/// A border of a split: the split's level on the path, and the child before the border.
struct BorderPlace {
    level: usize,
    before: usize,
}

impl<P: Copy + Eq> Layout<P> {
    /// Moves a border of `pane` by this many cells towards `side`; the other way when negative.
    /// It is the border on that side, or the opposite one for a pane at the window's edge.
    ///
    /// The panes at the border gain and lose cells. When those that lose have their minimum, the next ones lose; when
    /// none can, the border stops. All others keep their cells.
    pub fn resize(&self, pane: P, side: Side, by: i32, size: Size) -> Result<Self, LayoutError<P>> {
        let path = self.path_to(pane)?;
        let border = self.border_of(&path, side).or_else(|| self.border_of(&path, side.opposite()));
        let Some(border) = border else {
            return Err(LayoutError::NoBorder { pane, axis: side.axis() });
        };
        let after = side.is_after() == (by > 0);
        let wanted = u16::try_from(by.unsigned_abs()).unwrap_or(u16::MAX);
        let (layout, moved) = self.edited(&path[..border.level], size, |node, extent| match node {
            LayoutNode::Split(split) => Ok(split.shift(border.before, after, wanted, extent)),
            LayoutNode::Pane(_) => Ok(0),
        })?;
        let towards = if by > 0 { side } else { side.opposite() };
        if moved == 0 && by != 0 { Err(LayoutError::Stuck { pane, towards }) } else { Ok(layout) }
    }

    /// The nearest border on that side of the pane at `path`.
    fn border_of(&self, path: &[usize], side: Side) -> Option<BorderPlace> {
        let splits = self.root.splits_on(path);
        (0..path.len()).rev().filter(|&level| splits[level].axis == side.axis()).find_map(|level| {
            let at = path[level];
            let before = if side.is_after() { at } else { at.checked_sub(1)? };
            (before + 1 < splits[level].children.len()).then_some(BorderPlace { level, before })
        })
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
