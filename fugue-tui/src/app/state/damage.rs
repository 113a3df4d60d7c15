//! What must be drawn again. The echo of a key is one row of one pane, and only that row is drawn.

use std::collections::BTreeSet;

use fugue_protocol::PaneId;
use fugue_screen::Update;

use crate::draw::ViewOrigin;

/// What changed since the last frame.
#[derive(Debug, Default)]
pub(crate) struct Damage {
    all: bool,
    rows: BTreeSet<(PaneId, u16)>,
    /// Something changed, if only a cursor.
    any: bool,
    /// The part of the window that the last frame shows.
    origin: ViewOrigin,
}

impl Damage {
    /// Everything is drawn again.
    pub(crate) fn add_all(&mut self) {
        self.all = true;
    }

    /// Adds the rows that an update of a pane's screen changes.
    pub(crate) fn add(&mut self, pane: PaneId, update: &Update) {
        self.any = true;
        match update.whole || update.scrolled > 0 {
            true => self.rows.extend((0..update.size.rows).map(|row| (pane, row))),
            false => self.rows.extend(update.rows.iter().map(|(row, _)| (pane, *row))),
        }
    }

    /// Adds one row of a pane.
    pub(crate) fn add_row(&mut self, pane: PaneId, row: u16) {
        self.any = true;
        self.rows.insert((pane, row));
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.all && !self.any
    }

    /// Takes the rows to draw, for a frame that shows the window from `origin` on. Returns `None` when everything must
    /// be drawn.
    pub(crate) fn take(&mut self, origin: ViewOrigin) -> Option<BTreeSet<(PaneId, u16)>> {
        let moved = std::mem::replace(&mut self.origin, origin) != origin;
        let all = std::mem::take(&mut self.all);
        let rows = std::mem::take(&mut self.rows);
        self.any = false;
        (!all && !moved).then_some(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_changed_row_is_drawn_alone_unless_the_view_moves() {
        let (mut damage, pane) = (Damage::default(), PaneId::from_bytes([1; 16]));
        let origin = ViewOrigin::default();
        assert!(damage.is_empty());
        damage.add_row(pane, 3);
        assert_eq!(damage.take(origin), Some(BTreeSet::from([(pane, 3)])));
        assert!(damage.is_empty(), "it was taken");
        damage.add_row(pane, 3);
        assert_eq!(damage.take(ViewOrigin { row: 1, col: 0 }), None, "the view moved");
        damage.add_all();
        assert_eq!(damage.take(ViewOrigin { row: 1, col: 0 }), None);
    }
}
