//! Events: what changed in the daemon, and which part of the client's view follows from that.

use std::time::Instant;

use fugue_protocol::events::EventRecord;
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::{Event, PaneId, WindowId};

use super::App;
use super::state::daemon::Purpose;
use super::state::{NewProgram, changes_tree};

impl App {
    pub(super) fn handle_event(&mut self, record: EventRecord) {
        self.note_new_program(&record);
        // Another person's terminal does not move this one.
        let follows = record.by.is_none() || record.by == self.daemon.client();
        match record.event {
            Event::WindowSelected { window } if follows => self.look_at(Some(window), None),
            // When a pane closes, the daemon moves its focus; this client follows only if it looked at that pane.
            Event::PaneFocused { pane } if follows && self.panes.closed_at != Some(record.at) => {
                self.look_at(None, Some(pane));
            }
            Event::ClientDetached { client } if Some(client) == self.daemon.client() => {
                self.exit_with("[detached by another client]");
            }
            Event::ClientCommanded { client, line } if Some(client) == self.daemon.client() => {
                let tree = self.newest_tree();
                self.commanded.push(line, tree);
                self.run_commanded_lines();
            }
            Event::ClientLeft { client } => self.client_left(client),
            Event::SessionSelected { session } => self.tree.is_last_used = session == self.tree.here,
            Event::SessionClosed { session } if session == self.tree.here => {
                self.exit_with("[session ended]");
            }
            Event::MarkMoved { pane } => {
                self.tree.set_marked(pane);
                self.display.redraw();
            }
            Event::PaneTitled { pane, title } => {
                self.tree.retitle(pane, &title);
                self.display.redraw();
            }
            Event::ForegroundChanged { pane, program } => {
                self.tree.set_foreground(pane, program);
                self.display.redraw();
            }
            Event::CommandEnded { pane, exit } => {
                self.tree.set_last_exit(pane, exit);
                self.display.redraw();
            }
            Event::PaneActivity { pane, kind } => self.activity_seen(pane, kind),
            Event::AgentStateChanged { pane, agent } => {
                let host = self.tree.host.clone();
                self.agent_changed(host.as_deref(), pane, agent);
                self.agents_may_have_changed();
            }
            Event::DialogChanged { .. } => self.agents_may_have_changed(),
            Event::PaneRang { pane } => self.notify(pane, "", ""),
            Event::PaneNotified { pane, title, body } => self.notify(pane, &title, &body),
            Event::MessageSent(envelope) => {
                let recipients = envelope.recipients.iter().map(|recipient| recipient.session);
                recipients.for_each(|session| self.tree.count_unread(session, |count| count + 1));
                self.display.redraw();
            }
            Event::MessagesRead { session, messages, .. } => {
                self.tree.count_unread(session, |count| count.saturating_sub(messages.len()));
                self.display.redraw();
            }
            Event::PaneClosed { pane, .. } => {
                self.popup_closed(pane);
                self.panes.closed_at = Some(record.at);
                self.panes.refresh.request(Instant::now());
            }
            Event::PaneRespawned(respawned) => {
                self.panes.unwatch(respawned.pane);
                self.panes.refresh.request(Instant::now());
            }
            Event::WindowResized { window, size } => {
                self.window_resized(window, size, record.by);
                self.panes.refresh.request(Instant::now());
            }
            event if changes_tree(&event) => self.panes.refresh.request(Instant::now()),
            _ => {}
        }
    }

    /// Notes which program this client started, and reports one that exited immediately.
    pub(super) fn note_new_program(&mut self, record: &EventRecord) {
        match &record.event {
            Event::PaneOpened(opened) if record.by.is_some() && record.by == self.daemon.client() => {
                self.panes.new_program = NewProgram::new(opened, record.at);
            }
            Event::PaneExited { pane, exit } => {
                let ended = self.panes.new_program.take_if(|program| program.pane == *pane);
                if let Some(report) = ended.and_then(|program| program.report(*exit, record.at)) {
                    self.say(report);
                }
            }
            _ => {}
        }
    }

    /// Looks at another window or pane, which may not be in the tree yet.
    fn look_at(&mut self, window: Option<WindowId>, pane: Option<PaneId>) {
        self.tree.look_at(window, pane);
        let known = window.is_none_or(|window| self.tree.find_window(window).is_some())
            && pane.is_none_or(|pane| self.tree.find_pane(pane).is_some());
        if known {
            self.sync_views();
            self.display.redraw();
        } else {
            self.panes.refresh.request(Instant::now());
        }
    }

    /// The request whose reply shows everything that has happened until now; none if the tree does.
    pub(super) fn newest_tree(&mut self) -> Option<u64> {
        if self.panes.refresh.is_stale() {
            self.request_tree();
        }
        self.daemon.newest(Purpose::Tree)
    }

    /// Runs the commands of programs that need not wait for the tree any more.
    pub(super) fn run_commanded_lines(&mut self) {
        while let Some(line) = self.commanded.pop(|tree| self.daemon.is_pending(tree)) {
            self.run_commanded(&line);
            self.display.redraw();
        }
    }

    pub(super) fn request_tree(&mut self) {
        self.panes.refresh.requested();
        self.daemon.request(Purpose::Tree, &ListSessions::default());
    }

    /// When the tree must be requested again, if it must.
    pub(super) fn tree_due(&self) -> Option<Instant> {
        self.panes.refresh.due().filter(|_| !self.daemon.has_requested(Purpose::Tree))
    }

    pub(super) fn refresh_tree_if_due(&mut self, now: Instant) {
        if self.tree_due().is_some_and(|due| due <= now) {
            self.request_tree();
        }
    }
}
