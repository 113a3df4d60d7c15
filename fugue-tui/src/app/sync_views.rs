//! What follows from the tree: which panes are watched, and whose size a window has.

use std::collections::BTreeSet;

use fugue_protocol::verbs::{PaneChoice, ResizeWindow, WatchPane, WindowChoice};
use fugue_protocol::views::Life;
use fugue_protocol::{PaneId, Size, WindowId};

use super::App;
use super::state::daemon::Purpose;
use crate::overlays::Overlay;

impl App {
    /// Brings everything up to date that depends on what is visible.
    pub(super) fn sync_views(&mut self) {
        // A pane that is visible needs no alert any more.
        for pane in self.tree.visible_panes().iter().map(|pane| pane.pane_id).collect::<Vec<_>>() {
            self.tree.alerts.remove(&pane);
        }
        self.follow_keyboard();
        let tree = &self.tree;
        self.overlays.resize_copy_views(|pane| tree.find_pane(pane).map(|pane| pane.place.size()));
        self.watch_visible();
        if self.panes.sizing.leads {
            self.request_window_size();
        }
    }

    /// Watches what is visible, and nothing else.
    pub(super) fn watch_visible(&mut self) {
        let find = |pane: PaneId| self.tree.find_pane(pane);
        let preview = self.overlays.current.as_ref().and_then(Overlay::preview).and_then(find);
        let popup = self.overlays.popup.and_then(|popup| find(popup.pane));
        let visible: BTreeSet<PaneId> = (self.tree.visible_panes().into_iter().chain(preview).chain(popup))
            .filter(|pane| pane.state != Life::Lost)
            .map(|pane| pane.pane_id)
            .collect();
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

    /// Makes the window follow this client's size, because this client uses it.
    pub(super) fn lead_window(&mut self) {
        self.panes.sizing.leads = true;
        self.request_window_size();
    }

    /// The size that a window has when this client uses it.
    fn wanted_size(&self) -> Size {
        let area = self.window_area();
        Size::new(area.cols, area.rows.saturating_sub(self.tree.title_rows()).max(1))
    }

    fn request_window_size(&mut self) {
        let Some(window) = self.tree.window() else { return };
        if window.dimensions == self.window_area() || self.options.read_only {
            return;
        }
        let (id, size) = (window.window_id, self.wanted_size());
        if self.panes.sizing.request(id, size) {
            let choice = WindowChoice { session: None, window: Some(id.into()) };
            self.daemon.request(Purpose::Quiet, &ResizeWindow { choice, size });
        }
    }

    /// Handles a window's new size. If it is not this client's, another client uses the window now.
    pub(super) fn window_resized(&mut self, window: WindowId, size: Size, by: Option<u64>) {
        self.panes.sizing.confirm(window, size);
        if self.tree.window().is_some_and(|ours| ours.window_id == window) && size != self.wanted_size() {
            self.panes.sizing.yield_to(by);
        }
    }

    /// Handles a client that left. If the window still has its size, it gets this client's.
    pub(super) fn client_left(&mut self, client: u64) {
        if self.panes.sizing.client_left(client) {
            self.lead_window();
        }
    }
}
