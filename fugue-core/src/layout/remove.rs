//! Removing a pane; a neighbor gets its space.

use super::node::{LayoutNode, LayoutSplit};
use super::{Layout, LayoutError};
use fugue_protocol::geometry::Size;

impl<P: Copy + Eq> Layout<P> {
    /// The layout without `pane`; none when it was the last one.
    /// Its space goes to the previous pane in its split, or the next one for the first; all others keep their cells.
    /// That also holds at other window sizes, except for one cell where nested splits are merged.
    pub fn remove(&self, pane: P, size: Size) -> Result<Option<Self>, LayoutError<P>> {
        self.remove_at(&self.path_to(pane)?, size)
    }

    /// The layout without the pane at `path`.
    pub(super) fn remove_at(&self, path: &[usize], size: Size) -> Result<Option<Self>, LayoutError<P>> {
        let Some((&at, parent)) = path.split_last() else {
            return Ok(None);
        };
        let (layout, ()) = self.edited(parent, size, |node, extent| {
            if let LayoutNode::Split(split) = node {
                split.leave(at, extent);
            }
            Ok(())
        })?;
        Ok(Some(layout))
    }
}

impl<P: Copy + Eq> LayoutSplit<P> {
    fn leave(&mut self, at: usize, extent: Size) {
        let mut cells = self.cells(extent);
        self.aim(&cells);
        let freed = cells.remove(at) + 1;
        let gone = self.children.remove(at);
        let (axis, heir) = (self.axis, at.saturating_sub(1));
        let grown = cells[heir] + freed;
        self.children[heir].node.adjust(axis, extent.with(axis, cells[heir]), grown);
        cells[heir] = grown;
        self.children[heir].weight += gone.weight;
        self.aim(&cells);
    }
}
