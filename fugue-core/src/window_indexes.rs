//! The indexes of windows as people see them, and the places of new and moved windows.

use crate::world::{HIGHEST_SLOT, Session, World};

impl World {
    /// The index of the window at a position of a session's list.
    pub(crate) fn index_at(&self, session: &Session, position: usize) -> usize {
        self.base_index + if self.renumber_windows { position } else { session.slots.at(position) }
    }

    /// The position of the window that has an index.
    pub(crate) fn position(&self, session: &Session, index: usize) -> Option<usize> {
        let slot = index.checked_sub(self.base_index)?;
        if self.renumber_windows { Some(slot) } else { session.slots.position(slot) }
    }

    /// The place of a new window, by the index that is wanted for it: its position, and its index counted from zero
    /// unless windows are renumbered. Without a wanted index, it gets the first free one.
    pub(crate) fn place_for_window(
        &self,
        session: &Session,
        wanted: Option<usize>,
    ) -> (usize, Option<usize>) {
        let wanted = wanted.map(|index| index.saturating_sub(self.base_index).min(HIGHEST_SLOT));
        if self.renumber_windows {
            let count = session.windows.len();
            return (wanted.map_or(count, |position| position.min(count)), None);
        }
        let slot = wanted.unwrap_or_else(|| session.slots.first_free());
        (session.slots.position_for(slot), Some(slot))
    }

    /// The place of a window that moves within its session. At an index that another one has, it takes that one's place
    /// in the order.
    pub(crate) fn place_for_move(&self, session: &Session, wanted: Option<usize>) -> (usize, Option<usize>) {
        let (position, slot) = self.place_for_window(session, wanted);
        (position.min(session.windows.len() - 1), slot.filter(|slot| session.slots.position(*slot).is_none()))
    }
}
