//! The names and indexes of windows as people see them, and the places of new and moved windows: a position in the session's list,
//! and an index counted from zero.

use std::borrow::Cow;

use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::{Refusal, WindowId, WindowName};

use crate::world::{HIGHEST_SLOT, Session, Window, WindowSlots, World};

impl World {
    /// The index of the window at a position of a session's list.
    pub(crate) fn index_at(&self, session: &Session, position: usize) -> usize {
        self.base_index + session.slots.at(position)
    }

    /// The position of the window that has an index.
    pub(crate) fn position(&self, session: &Session, index: usize) -> Option<usize> {
        session.slots.position(index.checked_sub(self.base_index)?)
    }

    /// The place of a new window that gets the first free index.
    pub(crate) fn free_place(&self, session: &Session) -> (usize, Option<usize>) {
        self.place_of_slot(session, session.slots.first_free())
    }

    /// The place of a new window with an index. Where windows have no gaps between them, that is its position alone:
    /// whoever replays the events without this setting has gaps, and would put the window elsewhere.
    fn place_of_slot(&self, session: &Session, slot: usize) -> (usize, Option<usize>) {
        (session.slots.position_for(slot), (!self.renumber_windows).then_some(slot))
    }

    /// The place of a new window with a wanted index, or else with the first free one.
    pub(crate) fn place_for_window(
        &self,
        session: &Session,
        wanted: Option<usize>,
    ) -> Result<(usize, Option<usize>), Refusal> {
        let Some(index) = wanted else { return Ok(self.free_place(session)) };
        Ok(self.place_of_slot(session, self.slot_of(index)?))
    }

    /// The place of a window that moves within its session. Where windows have no gaps between them, only its position
    /// changes.
    pub(crate) fn place_for_move(
        &self,
        session: &Session,
        window: WindowId,
        wanted: Option<usize>,
    ) -> Result<(usize, Option<usize>), Refusal> {
        let slot = wanted.map_or(Ok(session.slots.first_free()), |index| self.slot_of(index))?;
        if self.renumber_windows {
            return Ok((slot.min(session.windows.len() - 1), None));
        }
        let mut others = session.slots.clone();
        if let Some(own) = session.windows.iter().position(|id| *id == window) {
            others.remove(own);
        }
        Ok((others.position_for(slot), Some(slot)))
    }

    fn slot_of(&self, index: usize) -> Result<usize, Refusal> {
        let (lowest, highest) = (self.base_index, self.base_index.saturating_add(HIGHEST_SLOT));
        match (lowest..=highest).contains(&index) {
            true => Ok(index - lowest),
            false => {
                let problem = ArgumentProblem::NotAWindowIndex { given: index, lowest, highest };
                Err(Refusal::argument("index", problem))
            }
        }
    }

    /// Closes the gaps between the indexes of all windows, if windows are renumbered.
    pub(crate) fn close_gaps(&mut self) {
        if self.renumber_windows {
            for session in self.sessions.values_mut() {
                session.slots = WindowSlots::without_gaps(session.windows.len());
            }
        }
    }
}

impl World {
    /// The name of a window.
    pub fn name_of_window<'a>(&self, window: &'a Window) -> Cow<'a, WindowName> {
        if window.automatic_name {
            Cow::Owned(self.window_view(window.id).name)
        } else {
            Cow::Borrowed(&window.name)
        }
    }
}
