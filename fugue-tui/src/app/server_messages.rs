//! Messages from the daemon: replies to requests, screens, copied text; and the loss of the connection.

use std::time::Instant;

use fugue_client::{CallError, ServerFrame};
use fugue_protocol::PaneId;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{AttachClient, GetServerStatus, ListSessions, SetEnvironment, SubscribeEvents};
use fugue_protocol::views::{ClientList, MessageList, PaneView, PermissionList, SessionList, WindowView};
use fugue_screen::Update;
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::{DaemonConnection, Purpose};
use crate::images::ImageProtocol;
use crate::login_environment;
use crate::overlays::{self, Overlay};

/// Whether a refusal says that the caller may not do this at all.
fn is_denied(refused: &Refused) -> bool {
    matches!(refused.code.as_str(), "out_of_scope" | "unattributed" | "pane_unknown")
}

/// Requests the sessions. Events come first, so that nothing is missed in between.
pub(super) fn request_tree(daemon: &mut DaemonConnection) {
    daemon.cork();
    daemon.request(Purpose::Events, &SubscribeEvents { since: None });
    daemon.request(Purpose::Tree, &ListSessions::default());
    daemon.uncork();
}

impl App {
    /// Requests everything that a client must know.
    pub(super) fn subscribe(&mut self) {
        request_tree(&mut self.daemon);
        self.introduce();
    }

    /// Tells the daemon about this client.
    pub(super) fn introduce(&mut self) {
        self.daemon.cork();
        self.attach();
        self.update_environment();
        self.daemon.request(Purpose::Status, &GetServerStatus {});
        self.daemon.uncork();
    }

    /// Tells the daemon which session this terminal shows, and how.
    pub(super) fn attach(&mut self) {
        let (colors, images) = (&self.display.colors, &self.display.images);
        let (protocol, cell) = (images.protocol(), images.cell.unwrap_or_default());
        let side = |pixels: u32| u16::try_from(pixels).unwrap_or_default();
        let attach = AttachClient {
            session: self.tree.here.into(),
            size: self.display.size,
            read_only: self.options.read_only,
            foreground: colors.wire_foreground(),
            background: colors.wire_background(),
            palette: colors.wire_palette(),
            cell_width: side(cell.width),
            cell_height: side(cell.height),
            kitty_images: protocol == Some(ImageProtocol::Kitty),
            sixel_images: protocol.is_some(),
            tty: self.display.device.clone(),
        };
        self.daemon.request(Purpose::Attach, &attach);
    }

    /// Gives the session this client's variables. One that is not set here is removed, as in tmux.
    pub(super) fn update_environment(&mut self) {
        let names = &self.config.settings.update_environment;
        if self.options.read_only {
            return;
        }
        // This login's displays and agents mean nothing on another host.
        let names: &[String] = if self.daemon.host().is_some() { &[] } else { names };
        for (name, value) in login_environment::variables(names, &self.options.paths.socket) {
            let session = Some(self.tree.here.into());
            self.daemon.request(Purpose::Quiet, &SetEnvironment { session, name, value });
        }
    }

    pub(super) fn read_daemon(&mut self) {
        match self.daemon.receive() {
            Ok(frames) => self.handle_frames(frames),
            Err(CallError::Lost(_)) => self.connection_lost(),
            Err(error) if error.is_failed_start() => {
                self.daemon.start_failed(error.message());
                self.connection_lost();
            }
            Err(CallError::NoDaemon(place)) if self.daemon.is_reconnecting() => {
                self.exit_with(format!("[daemon {place} stopped]"));
            }
            Err(error @ CallError::Local(_)) if self.daemon.is_reconnecting() => {
                self.daemon.line_failed(error.message().lines().next().unwrap_or_default().to_owned());
                self.connection_lost();
            }
            Err(error) => self.events.exit = Some(Err(error)),
        }
    }

    /// Handles frames that came together before it requests anything because of them.
    fn handle_frames(&mut self, frames: Vec<ServerFrame>) {
        if let Some(warning) = self.daemon.retype() {
            match warning {
                Some(warning) => self.warn(warning),
                // The line that reports the loss is visible for a moment only.
                None => self.say(self.daemon.reconnected()),
            }
            self.daemon.resend();
            self.send_next_parts(self.pastes.queues.panes());
        }
        frames.into_iter().for_each(|frame| self.handle_frame(frame));
        self.daemon.restart_reply_timer();
        self.refresh_tree_if_due(Instant::now());
        if self.daemon.take_missed_request() {
            self.request_everything_again();
        }
    }

    /// Requests everything that may have changed while nothing could be requested.
    fn request_everything_again(&mut self) {
        self.panes.forget_requests();
        self.attach();
        self.resize_popup();
        self.request_tree();
    }

    pub(super) fn connection_lost(&mut self) {
        self.discard_pastes_under_way();
        if let Some(verb) = self.daemon.connection_lost() {
            self.report_unanswered(verb);
        }
        self.end_waiting_lines();
        self.keyboard.deferred.await_tree(None);
        self.panes.forget_requests();
        self.display.redraw();
        // Drawn at once: a new daemon may be there before the next turn.
        self.draw();
    }

    pub(super) fn reconnect(&mut self) {
        if self.daemon.reconnect().is_ok() {
            self.subscribe();
        } else if self.daemon.is_gone() {
            self.exit_with("[daemon stopped]");
        } else {
            self.display.redraw_if(self.daemon.is_overdue());
        }
    }

    fn handle_frame(&mut self, frame: ServerFrame) {
        match frame {
            ServerFrame::Answer(id, answer) => {
                if let Some((purpose, leads)) = self.daemon.take_request(id) {
                    self.handle_reply(purpose, answer);
                    if leads {
                        self.arrived_elsewhere();
                    }
                }
            }
            ServerFrame::Event(event) => self.handle_event(*event),
            ServerFrame::Recording(_) => {}
            ServerFrame::Copied(pane, text) => self.program_copied(pane, text),
            ServerFrame::Screen(pane, update) => self.screen_changed(pane, &update),
            ServerFrame::Image(pane, image) => self.image_received(pane, &image),
            ServerFrame::Notice(refused) => self.keys_refused(*refused),
        }
    }

    fn handle_reply(&mut self, purpose: Purpose, answer: Result<Box<RawValue>, Refused>) {
        match (purpose, answer) {
            (Purpose::Tree, Ok(reply)) => self.tree_received(&reply),
            (Purpose::Go, Ok(reply)) => self.went(&reply),
            (Purpose::Read(verb), Ok(reply)) => self.show_reply(verb, &reply),
            (Purpose::NewSession, Ok(reply)) => self.session_created(&reply),
            (Purpose::MoveWindow(index), Ok(reply)) => self.window_moved(index, &reply),
            (Purpose::Popup(frame), Ok(reply)) => self.popup_opened(frame, &reply),
            (Purpose::Status, Ok(reply)) => self.report_warnings(&reply),
            (Purpose::Messages, Ok(reply)) => self.list_messages(&reply),
            (Purpose::Clients, Ok(reply)) => self.list_clients(&reply),
            (Purpose::Agents, Ok(reply)) => self.show_agents(&permissions(&reply)),
            (Purpose::OpenAgents, Ok(reply)) => self.renew_agents(&permissions(&reply)),
            (Purpose::Prompt(pane), answer) => {
                let sent = answer.map_err(|refused| refused.message);
                let sent =
                    sent.and_then(|sent| serde_json::from_str(sent.get()).map_err(|why| why.to_string()));
                self.prompt_replied(pane, sent);
            }
            (Purpose::StoreBuffer, Ok(_)) => self.copied_stored(),
            (Purpose::PasteBuffer(into), Ok(reply)) => self.buffer_received(into, &reply),
            (Purpose::AppendCopied, answer) => self.append_to(answer.ok().as_deref()),
            (Purpose::Buffers, Ok(reply)) => self.list_buffers(&reply),
            (Purpose::RemoveBuffer, Ok(reply)) => self.buffer_removed(&reply),
            (Purpose::Line { number, .. }, answer) => self.line_replied(number, answer),
            (Purpose::Paste(pane), answer) => self.part_replied(pane, answer.err()),
            (Purpose::History(pane, history), Ok(reply)) => self.history_received(pane, history, &reply),
            (Purpose::Find(pane), answer) => self.screen_searched(pane, answer.ok().as_deref()),
            (Purpose::ShowPopup, Err(_)) => self.popup_refused(),
            (Purpose::Watch(pane), Err(_)) => self.panes.unwatch(pane),
            (Purpose::Attach, Err(refused)) if is_denied(&refused) => {
                self.events.exit = Some(Err(CallError::from(refused)));
            }
            (Purpose::Quiet | Purpose::Leave | Purpose::Status | Purpose::Attach, Err(_)) => {}
            // The text is still here.
            (Purpose::StoreBuffer, Err(_)) => {}
            (_, Err(refused)) => self.say_refused(&refused),
            (Purpose::Quiet | Purpose::Attach | Purpose::Command | Purpose::ShowPopup, Ok(_)) => {}
            (Purpose::Events | Purpose::Leave | Purpose::Watch(_), Ok(_)) => {}
        }
    }

    /// Looks at the window or pane that the person went to, even if the daemon's focus was there already.
    pub(super) fn went(&mut self, reply: &RawValue) {
        if let Ok(pane) = serde_json::from_str::<PaneView>(reply.get()) {
            self.tree.look_at(None, Some(pane.pane_id));
        } else if let Ok(window) = serde_json::from_str::<WindowView>(reply.get()) {
            self.tree.look_at(Some(window.window_id), None);
        }
        self.sync_views();
        self.display.redraw();
    }

    fn list_messages(&mut self, reply: &RawValue) {
        if let Ok(list) = serde_json::from_str::<MessageList>(reply.get()) {
            self.open_overlay(Overlay::List(overlays::messages(&list)));
        }
    }

    fn list_clients(&mut self, reply: &RawValue) {
        if let Ok(list) = serde_json::from_str::<ClientList>(reply.get()) {
            self.open_overlay(Overlay::List(overlays::clients(&list, self.daemon.client())));
        }
    }

    fn tree_received(&mut self, reply: &RawValue) {
        let begun = Instant::now();
        let Ok(list) = serde_json::from_str::<SessionList>(reply.get()) else { return };
        self.tree.warnings = list.warnings.len();
        self.tree.update(list.sessions);
        self.panes.refresh.read(Instant::now(), begun.elapsed());
        if self.tree.session().is_none() {
            return self.exit_with("[session ended]");
        }
        self.update_sidebar();
        self.close_lost_popup();
        self.close_lost_copy_views();
        self.sync_views();
        self.switch_to_new_session();
        self.renew_tree_list();
        self.agents_may_have_changed();
        self.run_commanded_lines();
        self.continue_led_lines();
        self.display.redraw();
    }

    fn screen_changed(&mut self, pane: PaneId, update: &[u8]) {
        if let Ok(update) = Update::decode(update)
            && let Some(all) = self.panes.update(pane, &update)
        {
            self.display.redraw_if(all);
            self.display.damage.add(pane, &update);
            self.check_prediction(pane);
            self.images_changed(pane, update.images.as_deref());
        }
    }
}

/// What the agents ask, according to a reply.
fn permissions(reply: &RawValue) -> PermissionList {
    serde_json::from_str(reply.get()).unwrap_or(PermissionList { permissions: Vec::new() })
}
