//! The colours of the terminal in which a session is shown: its panes' programs are told these when they ask.

use fugue_core::ask::TerminalColours;
use fugue_protocol::{PaneId, SessionId};

use super::Manager;
use crate::pane::Ground;

impl Manager {
    /// A terminal that shows a session has these colours; what it did not tell stays as it was.
    pub(super) fn colour(&mut self, session: SessionId, told: &TerminalColours) {
        let sessions = &self.machine.world().sessions;
        self.colours.retain(|session, _| sessions.contains_key(session));
        let before = self.colours.get(&session).copied().unwrap_or_default();
        let mut ground = Ground {
            foreground: told.foreground.or(before.foreground),
            background: told.background.or(before.background),
            ..before
        };
        ground.palette.iter_mut().zip(&told.palette).for_each(|(known, told)| *known = Some(*told));
        if ground == before {
            return;
        }
        self.colours.insert(session, ground);
        let world = self.machine.world();
        let own = |id: &PaneId| world.panes.get(id).is_some_and(|pane| world.session_of(pane).id == session);
        self.panes.iter().filter(|(id, _)| own(id)).for_each(|(_, pane)| pane.ground(ground));
    }

    /// The colours for a pane that is new.
    pub(super) fn ground_of(&self, id: PaneId) -> Ground {
        let world = self.machine.world();
        let session = world.panes.get(&id).map(|pane| world.session_of(pane).id);
        session.and_then(|session| self.colours.get(&session).copied()).unwrap_or_default()
    }
}
