//! Where one client looks: its own current window in each session, its own active pane in each window. Other clients
//! may look elsewhere. When something closes, the client looks at what it saw before, or else where the daemon's focus
//! is.

use fugue_protocol::views::{SessionView, WindowView};
use fugue_protocol::{PaneId, WindowId};

/// The number of choices that are remembered: more than anybody makes by hand.
const KEPT: usize = 4_096;

/// The windows and panes that were looked at, the most recent last.
#[derive(Debug, Default)]
pub(crate) struct FocusHistory {
    windows: Vec<WindowId>,
    panes: Vec<PaneId>,
}

/// Moves or adds something to the end.
fn move_to_end<T: PartialEq>(kept: &mut Vec<T>, one: T) {
    kept.retain(|other| *other != one);
    kept.push(one);
    if kept.len() > KEPT {
        kept.remove(0);
    }
}

impl FocusHistory {
    pub(super) fn window(&mut self, window: WindowId) {
        move_to_end(&mut self.windows, window);
    }

    pub(super) fn pane(&mut self, pane: PaneId) {
        move_to_end(&mut self.panes, pane);
    }

    /// Applies the choices to the daemon's tree. Where none was made, the daemon's becomes the choice.
    pub(super) fn apply(&mut self, sessions: &mut [SessionView]) {
        for session in sessions {
            self.apply_to_session(session);
            session.windows.iter_mut().for_each(|window| self.apply_to_window(window));
        }
    }

    fn apply_to_session(&mut self, session: &mut SessionView) {
        let has = |id: &&WindowId| session.windows.iter().any(|window| window.window_id == **id);
        match self.windows.iter().rev().find(has).copied() {
            Some(chosen) => {
                session.windows.iter_mut().for_each(|window| window.active = window.window_id == chosen);
            }
            None => {
                let current = session.windows.iter().find(|window| window.active);
                current.map(|window| window.window_id).into_iter().for_each(|id| self.windows.insert(0, id));
            }
        }
    }

    /// A zoomed pane has the keyboard in every client. The choice stays as it is: it may be the pane that the person has
    /// just gone to, which the daemon unzooms for that.
    fn apply_to_window(&mut self, window: &mut WindowView) {
        let has = |id: &&PaneId| window.panes.iter().any(|pane| pane.pane_id == **id);
        match self.panes.iter().rev().find(has).copied() {
            Some(_) if window.zoomed => {}
            Some(chosen) => window.panes.iter_mut().for_each(|pane| pane.active = pane.pane_id == chosen),
            None => {
                let active = window.panes.iter().find(|pane| pane.active);
                active.map(|pane| pane.pane_id).into_iter().for_each(|id| self.pane(id));
            }
        }
    }
}
