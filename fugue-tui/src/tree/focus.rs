//! Where one client looks: its own current window in each session, its own active pane in each window. Other clients
//! may look elsewhere. When something closes, the client looks at what it saw before, or else where the daemon's focus
//! is. What it saw before that is the last window or pane, for `last-window` and `last-pane`.

use fugue_protocol::views::{SessionView, WindowView};
use fugue_protocol::{PaneId, WindowId};

/// The number of choices that are remembered: more than anybody makes by hand.
const KEPT: usize = 4_096;

/// The windows and panes that were looked at, the most recent last.
#[derive(Debug, Clone, Default)]
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

    /// Applies the choices to the daemon's tree. Where none was made, the daemon's become the choices.
    pub(crate) fn apply(&mut self, sessions: &mut [SessionView]) {
        for session in sessions {
            self.apply_to_session(session);
            session.windows.iter_mut().for_each(|window| self.apply_to_window(window));
        }
    }

    fn apply_to_session(&mut self, session: &mut SessionView) {
        let windows = &mut session.windows;
        if !windows.iter().any(|window| self.windows.contains(&window.window_id)) {
            let current = windows.iter().filter(|window| window.active);
            let last = windows.iter().filter(|window| window.last);
            current.chain(last).for_each(|window| self.windows.insert(0, window.window_id));
        }
        let is_here = |id: &&WindowId| windows.iter().any(|window| window.window_id == **id);
        let mut recent = self.windows.iter().rev().filter(is_here).copied();
        let (current, last) = (recent.next(), recent.next());
        for window in windows {
            window.active = Some(window.window_id) == current;
            window.last = Some(window.window_id) == last;
        }
    }

    /// A zoomed pane has the keyboard in every client. The choice stays as it is: it may be the pane that the person has
    /// just gone to, which the daemon unzooms for that.
    fn apply_to_window(&mut self, window: &mut WindowView) {
        let panes = &mut window.panes;
        if !panes.iter().any(|pane| self.panes.contains(&pane.pane_id)) {
            let last = panes.iter().filter(|pane| pane.last);
            last.chain(panes.iter().filter(|pane| pane.active)).for_each(|pane| self.pane(pane.pane_id));
        }
        let is_here = |id: &PaneId| panes.iter().any(|pane| pane.pane_id == *id);
        let recent: Vec<PaneId> = self.panes.iter().rev().copied().filter(is_here).collect();
        let zoomed = panes.iter().find(|pane| window.zoomed && pane.active).map(|pane| pane.pane_id);
        let active = zoomed.or(recent.first().copied());
        let last = recent.into_iter().find(|pane| Some(*pane) != active);
        for pane in panes {
            pane.active = Some(pane.pane_id) == active;
            pane.last = Some(pane.pane_id) == last;
        }
    }
}
