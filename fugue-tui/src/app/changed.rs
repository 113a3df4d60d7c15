//! What changed in the panes since the last picture. A key's echo is one row of one pane: only that is drawn anew.

use std::collections::BTreeSet;

use fugue_protocol::PaneId;
use fugue_screen::Update;

use super::App;
use crate::draw::ViewOrigin;
use crate::paint::DirtyRows;

/// DirtyRows of panes that changed.
#[derive(Debug, Default)]
pub(super) struct Damage {
    rows: BTreeSet<(PaneId, u16)>,
    /// Something changed, if only a cursor.
    any: bool,
    /// The part of the window that the last picture shows.
    origin: ViewOrigin,
}

impl Damage {
    /// A pane's screen changed like this.
    pub(super) fn add(&mut self, pane: PaneId, update: &Update) {
        self.any = true;
        match update.whole || update.scrolled > 0 {
            true => self.rows.extend((0..update.size.rows).map(|row| (pane, row))),
            false => self.rows.extend(update.rows.iter().map(|(row, _)| (pane, *row))),
        }
    }

    /// A row is drawn again though it did not change.
    pub(super) fn look_at(&mut self, pane: PaneId, row: u16) {
        self.any = true;
        self.rows.insert((pane, row));
    }

    /// Whether anything did.
    pub(super) fn any(&self) -> bool {
        self.any
    }
}

impl App {
    /// Whether nothing lies over the panes.
    pub(super) fn shows_only_panes(&self) -> bool {
        self.layer.is_none() && self.pasts.is_empty() && self.popup.is_none()
    }

    /// The rows of the terminal to draw, now that everything there is to show is known.
    pub(super) fn rows_to_draw(&mut self, all: bool) -> DirtyRows {
        let room = self.room();
        let window = self.tree.window();
        let origin = self.origin();
        let moved = std::mem::replace(&mut self.changed.origin, origin) != origin;
        let changed = std::mem::take(&mut self.changed.rows);
        self.changed.any = false;
        let Some(window) = window.filter(|_| !all && !moved && self.shows_only_panes()) else {
            return DirtyRows::All;
        };
        let mut rows = DirtyRows::none(self.size.rows);
        for (pane, row) in changed {
            let place = window.panes.iter().find(|seen| seen.pane_id == pane).map(|seen| seen.place);
            let row = place.and_then(|place| origin.onto(place.row + row, place.col.max(origin.col), room));
            row.into_iter().for_each(|(row, _)| rows.add(row));
        }
        rows
    }
}
