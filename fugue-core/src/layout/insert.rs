//! A new pane beside another one, or along a whole edge of the window.

use super::node::{LayoutNode, LayoutSplit};
use super::share::Share;
use super::{LEAST_PANE, Layout, LayoutError};
use fugue_protocol::geometry::{Side, Size};

impl<P: Copy + Eq> Layout<P> {
    /// Inserts `new` on that side of `at`, with `share` of its space; half by default.
    /// Only `at` gives up space; all other panes keep their cells.
    pub fn split(
        &self,
        at: P,
        new: P,
        side: Side,
        share: Option<Share>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        let path = self.path_to(at)?;
        let new = Newcomer { pane: new, side, share };
        self.insert(Some(at), &path, new, size)
    }

    /// Inserts `new` along a whole edge of the window, with `share` of the window.
    /// All other panes give up space in proportion.
    pub fn split_edge(
        &self,
        new: P,
        side: Side,
        share: Option<Share>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        let new = Newcomer { pane: new, side, share };
        self.insert(None, &[], new, size)
    }

    fn insert(
        &self,
        at: Option<P>,
        path: &[usize],
        new: Newcomer<P>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        if self.contains(new.pane) {
            return Err(LayoutError::AlreadyHere { pane: new.pane });
        }
        let (layout, ()) = self.edited(path, size, |node, extent| {
            new.has_room(at, node, extent)?;
            *node = new.couple(node.clone(), extent);
            Ok(())
        })?;
        Ok(layout)
    }
}

/// A pane to be inserted.
struct Newcomer<P> {
    pane: P,
    side: Side,
    share: Option<Share>,
}

impl<P: Copy + Eq> Newcomer<P> {
    fn has_room(&self, at: Option<P>, host: &LayoutNode<P>, extent: Size) -> Result<(), LayoutError<P>> {
        let axis = self.side.axis();
        let has = extent.along(axis);
        let needs = host.least().along(axis).saturating_add(1).saturating_add(self.least());
        if has < needs { Err(LayoutError::NoRoom { pane: at, axis, has, needs }) } else { Ok(()) }
    }

    /// The minimum it takes: a share in cells is exact.
    fn least(&self) -> u16 {
        let least = LEAST_PANE.along(self.side.axis());
        match self.share {
            Some(Share::Cells(cells)) => cells.max(least),
            _ => least,
        }
    }

    /// The host and the new pane side by side, in the previous extent of the host.
    fn couple(&self, host: LayoutNode<P>, extent: Size) -> LayoutNode<P> {
        let (rest, new) = self.share.unwrap_or(Share::HALF).ratio();
        let mut parts = vec![(rest, host), (new, LayoutNode::Pane(self.pane))];
        if !self.side.is_after() {
            parts.reverse();
        }
        let mut node = LayoutNode::of(self.side.axis(), parts);
        if let LayoutNode::Split(split) = &mut node {
            self.settle(split, extent);
        }
        node
    }

    fn settle(&self, split: &mut LayoutSplit<P>, extent: Size) {
        let mut cells = split.cells(extent);
        let (host, new) = if self.side.is_after() { (0, 1) } else { (1, 0) };
        if let Some(Share::Cells(_)) = self.share {
            cells[new] = self.least();
            cells[host] = extent.along(split.axis) - 1 - cells[new];
        }
        split.aim(&cells);
        split.absorb(host, cells);
    }
}
