//! Swapping, replacing, moving and rotating panes.

use super::weights::Share;
use super::{Layout, LayoutError};
use fugue_protocol::geometry::{Side, Size};

impl<P: Copy + Eq> Layout<P> {
    /// Swaps `a` and `b`.
    pub fn swap(&self, a: P, b: P) -> Result<Self, LayoutError<P>> {
        self.path_to(a)?;
        self.path_to(b)?;
        Ok(self.renamed(|pane| match pane {
            _ if pane == a => b,
            _ if pane == b => a,
            _ => pane,
        }))
    }

    /// Puts `new` in the place of `old`.
    pub fn replace(&self, old: P, new: P) -> Result<Self, LayoutError<P>> {
        self.path_to(old)?;
        if old != new && self.contains(new) {
            return Err(LayoutError::AlreadyHere { pane: new });
        }
        Ok(self.renamed(|pane| if pane == old { new } else { pane }))
    }

    /// Moves `pane` to that side of `beside`, with `share` of its space; half by default.
    pub fn move_pane(
        &self,
        pane: P,
        beside: P,
        side: Side,
        share: Option<Share>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        self.path_to(beside)?;
        if pane == beside {
            return Err(LayoutError::BesideItself { pane });
        }
        self.path_to(pane)?;
        // As in tmux, the new place is made before the old one is closed.
        let both = self.split_twice(beside, pane, side, share, size)?;
        let mut new = both.path_to(beside)?;
        if let Some(at) = new.last_mut() {
            *at = if side.is_after() { *at + 1 } else { *at - 1 };
        }
        match both.root.path_but(pane, Some(&new)) {
            Some(old) => Ok(both.remove_at(&old, size)?.unwrap_or(both)),
            None => Err(LayoutError::BesideItself { pane }),
        }
    }

    /// Moves every pane to the next place in order and the last one to the first; backward when not
    /// `forward`.
    pub fn rotate(&self, forward: bool) -> Self {
        let mut panes = self.panes();
        if forward {
            panes.rotate_right(1);
        } else {
            panes.rotate_left(1);
        }
        let mut panes = panes.into_iter();
        self.renamed(|pane| panes.next().unwrap_or(pane))
    }

    fn renamed(&self, mut name: impl FnMut(P) -> P) -> Self {
        let mut layout = self.clone();
        layout.root.each_pane_mut(&mut |pane| *pane = name(*pane));
        layout
    }
}
