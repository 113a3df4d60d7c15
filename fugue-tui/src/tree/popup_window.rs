//! The window that this client shows as a popup. It is kept apart from the tree, where those of other clients stay.

use fugue_protocol::views::{SessionView, WindowView};
use fugue_protocol::{PaneId, WindowId};

use super::Tree;

/// The popup's window: its id, and its view once the daemon listed it.
#[derive(Debug, Clone, Default)]
pub(super) struct PopupWindow {
    pub(super) id: Option<WindowId>,
    pub(super) view: Option<WindowView>,
}

impl Tree {
    /// Whether this window is a popup of any client, and has this pane.
    pub(crate) fn has_popup(&self, window: WindowId, pane: PaneId) -> bool {
        let is_it = |popup: &WindowView| {
            popup.window_id == window && popup.panes.iter().any(|view| view.pane_id == pane)
        };
        let listed = self.sessions.iter().any(|session| session.popups.iter().any(is_it));
        listed || self.popup.view.as_ref().is_some_and(is_it)
    }
}

impl PopupWindow {
    /// Takes the popup's window out of a new tree. A window that is no longer there is gone.
    pub(super) fn take_from(&mut self, sessions: &mut [SessionView]) {
        let Some(id) = self.id else { return };
        let mut popups = sessions.iter_mut().map(|session| &mut session.popups);
        self.view = popups.find_map(|popups| {
            let at = popups.iter().position(|window| window.window_id == id)?;
            Some(popups.remove(at))
        });
    }
}
