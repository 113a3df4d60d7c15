//! Even sizes: the parts of a split get the same number of cells, and what is left over goes to the last one, as in tmux.

use super::node::LayoutNode;
use super::{Layout, LayoutError};
use fugue_protocol::geometry::Size;

impl<P: Copy + Eq> Layout<P> {
    /// Evens out the sizes in the split of `pane`, or else, if they are even, in the next one around it that can change.
    /// Every pane stays where it is.
    pub fn spread(&self, pane: P, size: Size) -> Result<Self, LayoutError<P>> {
        let path = self.path_to(pane)?;
        for level in (0..path.len()).rev() {
            let (layout, changed) =
                self.edited(&path[..level], size, |node, extent| Ok(spread(node, extent)))?;
            if changed {
                return Ok(layout);
            }
        }
        Ok(self.clone())
    }
}

/// Evens out the sizes in a split. Returns whether they changed.
fn spread<P: Copy + Eq>(node: &mut LayoutNode<P>, extent: Size) -> bool {
    let LayoutNode::Split(split) = node else { return false };
    let cells = even(extent.along(split.axis), split.children.len());
    let fits = cells.iter().zip(split.leasts()).all(|(cells, least)| *cells >= least);
    let changes = fits && cells != split.cells(extent);
    if changes {
        split.resize_children(extent, &cells);
    }
    changes
}

/// The cells of this many equal parts of a length.
pub(super) fn even(length: u16, parts: usize) -> Vec<u16> {
    let count = u16::try_from(parts).unwrap_or(u16::MAX).max(1);
    let each = length.saturating_sub(count - 1) / count;
    let last = length.saturating_sub((each + 1).saturating_mul(count - 1));
    let mut cells = vec![each; parts];
    if let Some(end) = cells.last_mut() {
        *end = last;
    }
    cells
}
