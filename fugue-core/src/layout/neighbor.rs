//! Neighbors of a pane by direction, for moving the focus.

use super::Layout;
use fugue_protocol::geometry::{Rect, Side, Size};

impl<P: Copy + Eq> Layout<P> {
    /// The pane on that side of `pane`; of several, the one that `prefer` rates highest, and of equals the first. None at
    /// the window's edge.
    pub fn neighbor<K: Ord>(&self, pane: P, side: Side, size: Size, prefer: impl FnMut(P) -> K) -> Option<P> {
        preferred(self.neighbors(pane, side, size), prefer)
    }

    /// All panes adjacent to that side of `pane`, in order.
    pub fn neighbors(&self, pane: P, side: Side, size: Size) -> Vec<P> {
        let axis = side.axis();
        self.alongside(pane, side, size, |from, to| {
            let (first, second) = if side.is_after() { (from, to) } else { (to, from) };
            second.start(axis).checked_sub(1) == Some(first.end(axis))
        })
    }

    /// The pane that is reached by wrapping around the window's edge on that side of `pane`; of several, as above.
    pub fn around<K: Ord>(&self, pane: P, side: Side, size: Size, prefer: impl FnMut(P) -> K) -> Option<P> {
        let (axis, whole) = (side.axis(), size.at_least(self.least()));
        let across = self.alongside(pane, side, size, |_, to| {
            if side.is_after() { to.start(axis) == 0 } else { to.end(axis) == whole.along(axis) }
        });
        preferred(across, prefer)
    }

    /// The other panes for which `touches` holds and that share a row or column with `pane`.
    fn alongside(&self, pane: P, side: Side, size: Size, touches: impl Fn(Rect, Rect) -> bool) -> Vec<P> {
        let across = side.axis().other();
        let Some(from) = self.place(pane, size) else {
            return Vec::new();
        };
        let beside = |to: Rect| from.start(across) < to.end(across) && to.start(across) < from.end(across);
        let places = self.places(size).into_iter();
        let found = places.filter(|&(here, to)| here != pane && beside(to) && touches(from, to));
        found.map(|(here, _)| here).collect()
    }
}

/// The pane that is rated highest; of equals the first.
fn preferred<P: Copy, K: Ord>(panes: Vec<P>, mut prefer: impl FnMut(P) -> K) -> Option<P> {
    panes.into_iter().rev().max_by_key(|pane| prefer(*pane))
}
