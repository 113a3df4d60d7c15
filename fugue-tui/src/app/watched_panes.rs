//! Watches the panes that are visible, and updates what else depends on them.

use std::collections::BTreeSet;

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{PaneChoice, WatchPane};

use super::App;
use super::state::daemon::Purpose;
use crate::overlays::Overlay;

impl App {
    /// Brings everything up to date that depends on what is visible.
    pub(super) fn sync_views(&mut self) {
        // A pane that is visible needs no alert any more, and its agent's last turn was seen.
        for pane in self.tree.visible_panes().iter().map(|pane| pane.pane_id).collect::<Vec<_>>() {
            self.tree.seen(pane);
        }
        if let Some(window) = self.tree.window().map(|window| window.window_id) {
            self.tree.activity.remove(&window);
        }
        self.follow_keyboard();
        let tree = &self.tree;
        self.overlays.resize_copy_views(|pane| tree.find_pane(pane).map(|pane| pane.place.size()));
        // Before the panes are watched, so that their first screens have that size.
        if self.panes.sizing.leads {
            self.request_window_size();
        }
        self.watch_visible();
    }

    /// Watches what is visible, and nothing else.
    pub(super) fn watch_visible(&mut self) {
        let find = |pane: PaneId| self.tree.find_pane(pane);
        let preview = self.overlays.current.as_ref().and_then(Overlay::preview).and_then(find);
        let popup = self.overlays.popup.and_then(|popup| find(popup.pane));
        let visible: BTreeSet<PaneId> = (self.tree.visible_panes().into_iter().chain(preview).chain(popup))
            .map(|pane| pane.pane_id)
            .collect();
        self.display.images.library.retain_panes(|pane| visible.contains(&pane));
        let (start, stop) = self.panes.watch(visible);
        for pane in start {
            let watch = WatchPane { choice: PaneChoice::of(pane), stop: false };
            self.daemon.request(Purpose::Watch(pane), &watch);
        }
        for pane in stop {
            let watch = WatchPane { choice: PaneChoice::of(pane), stop: true };
            self.daemon.request(Purpose::Quiet, &watch);
        }
    }
}
