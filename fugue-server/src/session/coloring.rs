//! The colors of the terminal in which a session is shown: its panes' programs are told these when they ask.

use fugue_core::edge_request::TerminalColors;
use fugue_protocol::{PaneId, SessionId};

use super::Manager;
use crate::pane::Ground;

impl Manager {
    /// A terminal that shows a session has these colors; what it did not tell stays as it was.
    pub(super) fn color(&mut self, session: SessionId, told: &TerminalColors) {
        let sessions = &self.machine.world().sessions;
        self.colors.retain(|session, _| sessions.contains_key(session));
        let before = self.colors.get(&session).copied().unwrap_or_default();
        let mut ground = Ground {
            foreground: told.foreground.or(before.foreground),
            background: told.background.or(before.background),
            ..before
        };
        ground.palette.iter_mut().zip(&told.palette).for_each(|(known, told)| *known = Some(*told));
        if ground == before {
            return;
        }
        self.colors.insert(session, ground);
        let world = self.machine.world();
        let own = |id: &PaneId| world.panes.get(id).is_some_and(|pane| world.session_of(pane).id == session);
        self.panes.iter().filter(|(id, _)| own(id)).for_each(|(_, pane)| pane.ground(ground));
    }

    /// The colors for a pane that is new.
    pub(super) fn ground_of(&self, id: PaneId) -> Ground {
        let world = self.machine.world();
        let session = world.panes.get(&id).map(|pane| world.session_of(pane).id);
        session.and_then(|session| self.colors.get(&session).copied()).unwrap_or_default()
    }
}
