//! The window that this client shows as a popup. It is kept apart from the tree, so that nothing lists it or leads to it.

use fugue_protocol::WindowId;
use fugue_protocol::views::{SessionView, WindowView};

/// The popup's window: its id, and its view once the daemon listed it.
#[derive(Debug, Default)]
pub(super) struct PopupWindow {
    pub(super) id: Option<WindowId>,
    pub(super) view: Option<WindowView>,
}

impl PopupWindow {
    /// Takes the popup's window out of a new tree. A window that is no longer there is gone.
    pub(super) fn take_from(&mut self, sessions: &mut [SessionView]) {
        let Some(id) = self.id else { return };
        let mut windows = sessions.iter_mut().map(|session| &mut session.windows);
        self.view = windows.find_map(|windows| {
            let at = windows.iter().position(|window| window.window_id == id)?;
            Some(windows.remove(at))
        });
    }
}
