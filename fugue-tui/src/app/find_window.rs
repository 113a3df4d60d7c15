//! `find-window`: the panes whose window, title or visible text contains a text, as a list.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{GetOutput, Mode, PaneChoice};
use fugue_protocol::views::PaneOutput;
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::Purpose;
use super::state::window_search::WindowSearch;
use crate::overlays::{self, Overlay};

impl App {
    /// Searches the windows of the host that is shown. The text on their screens is requested first.
    pub(super) fn find_window(&mut self, words: &[&str]) {
        let mut search = match WindowSearch::read(words) {
            Ok(search) => search,
            Err(why) => return self.say_error(why),
        };
        let windows = self.tree.sessions.iter().flat_map(|session| &session.windows);
        let panes = windows.flat_map(|window| window.panes.iter().map(move |pane| (window, pane)));
        let unknown: Vec<PaneId> = panes
            .filter(|(window, pane)| search.look_at(window, pane))
            .map(|(_, pane)| pane.pane_id)
            .collect();
        for pane in unknown {
            let get = GetOutput {
                choice: PaneChoice::of(pane),
                lines: usize::from(u16::MAX),
                mode: Some(Mode::Screen),
                ..GetOutput::default()
            };
            self.daemon.request(Purpose::Find(pane), &get);
        }
        let is_over = search.is_over();
        self.overlays.search = Some(search);
        if is_over {
            self.show_found();
        }
    }

    /// Searches the text of a pane. A pane that is gone has none.
    pub(super) fn screen_searched(&mut self, pane: PaneId, reply: Option<&RawValue>) {
        let output = reply.and_then(|reply| serde_json::from_str::<PaneOutput>(reply.get()).ok());
        let text = output.as_ref().map(|output| output.text.as_str());
        let is_over = self.overlays.search.as_mut().is_some_and(|search| search.screen_read(pane, text));
        if is_over {
            self.show_found();
        }
    }

    fn show_found(&mut self) {
        let Some(search) = self.overlays.search.take() else { return };
        let list = overlays::found(&self.tree, &search.text, |pane| search.line_in(pane));
        match list {
            Some(list) => self.open_overlay(Overlay::List(list)),
            None => self.say(format!("No window contains “{}”", search.text)),
        }
        self.watch_visible();
    }
}
