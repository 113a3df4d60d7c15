//! The name under which a window is shown and found: the one that was chosen for it, or else the program in its active
//! pane.

use std::borrow::Cow;

use fugue_protocol::WindowName;
use fugue_protocol::views::program_in_pane;

use crate::world::{Window, World};

impl World {
    /// The name of a window.
    pub fn name_of_window<'a>(&'a self, window: &'a Window) -> Cow<'a, WindowName> {
        let active =
            self.panes.get(&window.active).filter(|pane| window.automatic_name && pane.run().is_some());
        let program = active.and_then(|pane| {
            let agent = pane.agent.view.as_ref().map(|agent| agent.name.as_str());
            program_in_pane(agent, pane.foreground.as_deref())?.parse().ok()
        });
        program.map_or(Cow::Borrowed(&window.name), Cow::Owned)
    }
}
