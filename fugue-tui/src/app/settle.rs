//! What follows from the tree: which panes are watched, and whose size a window has.

use std::collections::BTreeSet;

use fugue_protocol::verbs::{PaneChoice, ResizeWindow, WatchPane, WindowChoice};
use fugue_protocol::views::Life;
use fugue_protocol::{PaneId, Size, WindowId};

use super::App;
use super::daemon::Purpose;
use crate::overlays::Overlay;

impl App {
    /// After anything that changes what is seen.
    pub(super) fn settle(&mut self) {
        // What is seen no longer calls.
        for pane in self.tree.seen().iter().map(|pane| pane.pane_id).collect::<Vec<_>>() {
            self.tree.alerts.remove(&pane);
        }
        self.follow_keyboard();
        self.fit_pasts();
        self.watch();
        if self.leads {
            self.fit();
        }
    }

    /// Watches what is seen, and nothing else.
    pub(super) fn watch(&mut self) {
        let seen = self.tree.seen();
        let preview =
            self.layer.as_ref().and_then(Overlay::preview).and_then(|pane| self.tree.find_pane(pane));
        let popup = self.popup.and_then(|popup| self.tree.find_pane(popup.pane));
        let seen: BTreeSet<PaneId> = (seen.into_iter().chain(preview).chain(popup))
            .filter(|pane| pane.state != Life::Lost)
            .map(|pane| pane.pane_id)
            .collect();
        for pane in seen.difference(&self.watched) {
            self.daemon.ask(Purpose::Watch(*pane), &WatchPane { choice: PaneChoice::of(*pane), stop: false });
        }
        for pane in self.watched.difference(&seen) {
            self.daemon.ask(Purpose::Quiet, &WatchPane { choice: PaneChoice::of(*pane), stop: true });
        }
        self.mirrors.retain(|pane, _| seen.contains(pane));
        self.watched = seen;
    }

    /// This client uses the window: it gets this client's size.
    pub(super) fn claim(&mut self) {
        self.leads = true;
        self.fit();
    }

    /// The size that a window has when this client uses it.
    fn wanted(&self) -> Size {
        let room = self.room();
        Size::new(room.cols, room.rows.saturating_sub(self.tree.top()).max(1))
    }

    fn fit(&mut self) {
        let Some(window) = self.tree.window() else { return };
        let (id, size) = (window.window_id, self.wanted());
        if window.dimensions == self.room() || self.asked_size == Some((id, size)) || self.options.read_only {
            return;
        }
        let choice = WindowChoice { session: None, window: Some(id.into()) };
        self.daemon.ask(Purpose::Quiet, &ResizeWindow { choice, size });
        self.asked_size = Some((id, size));
    }

    /// A window has another size. If that is not ours, somebody else uses it now.
    pub(super) fn someone_resized(&mut self, window: WindowId, size: Size, by: Option<u64>) {
        self.asked_size = self.asked_size.filter(|asked| *asked != (window, size));
        if self.tree.window().is_some_and(|ours| ours.window_id == window) && size != self.wanted() {
            self.leads = false;
            self.led_by = by;
        }
    }

    /// A client is gone. If the window has its size, nobody sees it so any more: it gets this client's.
    pub(super) fn someone_left(&mut self, client: u64) {
        if self.led_by.take_if(|by| *by == client).is_some() && !self.leads {
            self.claim();
        }
    }
}
