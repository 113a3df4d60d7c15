//! The size of the current window: it follows the client that uses the window.

use std::path::Path;

use fugue_protocol::verbs::{ResizeWindow, WindowChoice};
use fugue_protocol::{Size, WindowId};

use super::App;
use super::state::daemon::Purpose;
use super::state::display::StatusPlace;
use crate::config::ClientConfig;

/// The size that the windows of a new session will have in a terminal: without the status line and the titles of panes.
/// Programs that start with another size are resized at once, and some of them draw everything twice then.
pub(crate) fn new_window_size(terminal: Size, config: &Path) -> Size {
    let (config, _) = ClientConfig::read(config, &[], &ClientConfig::default());
    let taken = StatusPlace::of(&config).lines + u16::from(config.settings.titles);
    Size::new(terminal.cols, terminal.rows.saturating_sub(taken).max(1))
}

impl App {
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

    pub(super) fn request_window_size(&mut self) {
        let Some(window) = self.tree.window() else { return };
        if window.dimensions == self.window_area() || self.options.read_only {
            return;
        }
        let (id, size) = (window.window_id, self.wanted_size());
        if self.panes.sizing.request(id, size) {
            let choice = WindowChoice { session: None, window: Some(id.into()) };
            self.daemon.request(Purpose::Quiet, &ResizeWindow { choice, size, shown_by: None });
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
