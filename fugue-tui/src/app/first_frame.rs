//! The first frame: it is drawn when it shows the panes at their final size, so that nothing flickers. If that takes
//! too long, what is known is drawn.

use std::time::{Duration, Instant};

use fugue_protocol::views::PaneView;

use super::App;

/// How long the first frame may be late: shorter than a person notices, longer than a daemon on this host needs.
pub(super) const FIRST_FRAME_WAIT: Duration = Duration::from_millis(100);

impl App {
    /// Whether nothing is drawn yet, because the first frame would not show the panes.
    pub(super) fn awaits_first_frame(&mut self) -> bool {
        let Some(due) = self.display.first_frame_due else { return false };
        let awaits = Instant::now() < due && !self.knows_panes();
        if !awaits {
            self.display.first_frame_due = None;
        }
        awaits
    }

    /// Whether all visible panes are known, each in the size of its place.
    fn knows_panes(&self) -> bool {
        let is_known = |pane: &&PaneView| {
            let mirror = self.panes.mirrors.get(&pane.pane_id);
            let size = pane.place.size();
            mirror.is_some_and(|mirror| (mirror.size.cols, mirror.size.rows) == (size.cols, size.rows))
        };
        let visible = self.tree.visible_panes();
        !visible.is_empty() && !self.panes.sizing.is_requested() && visible.iter().all(is_known)
    }
}
