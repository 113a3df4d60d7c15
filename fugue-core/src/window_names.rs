//! The name under which a window is shown and found: the one that was chosen for it, or else the program in its active
//! pane.

use std::borrow::Cow;

use fugue_protocol::WindowName;

use crate::world::{Window, World};

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
