//! The walk that every change of the tree uses: down a path, pinning each border to its visible cell, and back up,
//! restoring the normal form.

use super::node::{LayoutNode, LayoutSplit, SplitChild};
use super::weights;
use super::{Layout, LayoutError, MOST_DEPTH, MOST_PANES};
use fugue_protocol::geometry::Size;

impl<P: Copy + Eq> Layout<P> {
    /// A copy with `change` applied to the node at `path`; it receives the extent of that node.
    pub(super) fn edited<T>(
        &self,
        path: &[usize],
        size: Size,
        change: impl FnOnce(&mut LayoutNode<P>, Size) -> Result<T, LayoutError<P>>,
    ) -> Result<(Self, T), LayoutError<P>> {
        let mut layout = self.clone();
        let told = edit(&mut layout.root, path, size.at_least(self.least()), change)?;
        layout.within_limits()?;
        Ok((layout, told))
    }

    /// Refuses a tree that is too deep or too large.
    pub(super) fn within_limits(&self) -> Result<(), LayoutError<P>> {
        if self.root.depth() > MOST_DEPTH {
            return Err(LayoutError::TooDeep { most: MOST_DEPTH });
        }
        if self.panes().len() > MOST_PANES {
            return Err(LayoutError::TooMany { most: MOST_PANES });
        }
        Ok(())
    }
}

fn edit<P: Copy + Eq, T, F>(
    node: &mut LayoutNode<P>,
    path: &[usize],
    extent: Size,
    change: F,
) -> Result<T, LayoutError<P>>
where
    F: FnOnce(&mut LayoutNode<P>, Size) -> Result<T, LayoutError<P>>,
{
    let told = match (path, &mut *node) {
        ([at, rest @ ..], LayoutNode::Split(split)) => {
            let cells = split.cells(extent);
            split.aim(&cells);
            let child_extent = extent.with(split.axis, cells[*at]);
            let told = edit(&mut split.children[*at].node, rest, child_extent, change)?;
            split.absorb(*at, cells);
            told
        }
        _ => change(node, extent)?,
    };
    node.unwrap_lone();
    Ok(told)
}

impl<P: Copy + Eq> LayoutSplit<P> {
    /// Merges the children of the child `at` into this split if that child is a split along the same axis.
    /// All parts keep their cells; `cells` are those of the children before.
    pub(super) fn absorb(&mut self, at: usize, mut cells: Vec<u16>) {
        let weight = self.children[at].weight;
        let LayoutNode::Split(inner) = &mut self.children[at].node else {
            return;
        };
        if inner.axis != self.axis {
            return;
        }
        let inner_cells = inner.cells(Size::new(cells[at], cells[at]));
        let weights = weights::subdivide(weight, &inner.weights());
        let nodes = std::mem::take(&mut inner.children).into_iter().map(|child| child.node);
        let children: Vec<_> =
            weights.into_iter().zip(nodes).map(|(w, node)| SplitChild { weight: w, node }).collect();
        self.children.splice(at..=at, children);
        cells.splice(at..=at, inner_cells);
        self.aim(&cells);
    }
}
