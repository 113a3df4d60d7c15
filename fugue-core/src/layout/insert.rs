//! A new pane beside another one, or along a whole edge of the window.

use fugue_protocol::geometry::Axis;

use super::node::{LayoutNode, LayoutSplit};
use super::weights::Share;
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
        if self.contains(new) {
            return Err(LayoutError::AlreadyHere { pane: new });
        }
        self.split_twice(at, new, side, share, size)
    }

    /// The same if `new` may be in the layout already, which then has it twice.
    pub(super) fn split_twice(
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
        if self.contains(new) {
            return Err(LayoutError::AlreadyHere { pane: new });
        }
        self.insert(None, &[], Newcomer { pane: new, side, share }, size)
    }

    fn insert(
        &self,
        at: Option<P>,
        path: &[usize],
        new: Newcomer<P>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
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
        let (axis, length) = (split.axis, cells[host]);
        split.children[host].node.scale(axis, extent, length);
        split.aim(&cells);
        split.absorb(host, cells);
    }
}

impl<P: Copy + Eq> LayoutNode<P> {
    /// Prepares for `length` cells along `axis` instead of those of `extent`; what is in it keeps its proportions.
    fn scale(&mut self, axis: Axis, extent: Size, length: u16) {
        let Self::Split(split) = self else { return };
        let (old, along) = (split.cells(extent), split.axis == axis);
        let new = if along { scaled(&old, &split.leasts(), length) } else { old.clone() };
        if along && new.iter().zip(split.leasts()).any(|(cells, least)| *cells < least) {
            return;
        }
        for ((child, old), new) in split.children.iter_mut().zip(old).zip(&new) {
            let length = if along { *new } else { length };
            child.node.scale(axis, extent.with(split.axis, old), length);
        }
        if along {
            split.aim(&new);
        }
    }
}

/// The cells of parts in a length, in proportion to those before and rounded down, as in tmux; the last one takes the rest.
fn scaled(old: &[u16], least: &[u16], length: u16) -> Vec<u16> {
    let before: u32 = old.iter().map(|cells| u32::from(*cells) + 1).sum::<u32>().saturating_sub(1).max(1);
    let (mut left, last) = (length, old.len().saturating_sub(1));
    let part = |(at, cells): (usize, &u16)| {
        let others = u16::try_from(2 * (last - at)).unwrap_or(u16::MAX).max(least[at]);
        let share = u32::from(*cells) * u32::from(length) / before;
        let most = u32::from(left.saturating_sub(others)).max(1);
        let part = if at == last { left } else { u16::try_from(share.clamp(1, most)).unwrap_or(u16::MAX) };
        left = left.saturating_sub(part + 1);
        part
    };
    old.iter().enumerate().map(part).collect()
}
