//! The sidebar.

use fugue_screen::mouse::MouseEvent;

use super::App;

impl App {
    pub(super) fn sidebar_mouse(&mut self, _event: MouseEvent) {}
}
