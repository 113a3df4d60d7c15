//! What the daemon says.

use std::time::Instant;

use fugue_client::{CallError, ServerFrame};
use fugue_protocol::events::EventRecord;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{AttachClient, GetServerStatus, ListSessions, SubscribeEvents};
use fugue_protocol::views::{ClientList, MessageList, PaneView, SessionList, WindowView};
use fugue_protocol::{Event, PaneId, RgbColor, WindowId};
use fugue_screen::{Rgb, Update};
use serde_json::value::RawValue;

use super::App;
use super::daemon::Purpose;
use crate::overlays::{self, Overlay};

/// Reading the tree may take one part in so many of the client's time.
const SHARE: u32 = 10;

/// Whether an event makes the tree another one. What comes alone, or concerns only who looks where, does not.
fn changes_the_tree(event: &Event) -> bool {
    !matches!(
        event,
        Event::SessionSelected { .. }
            | Event::EnvironmentChanged { .. }
            | Event::WindowSelected { .. }
            | Event::PaneFocused { .. }
            | Event::PaneWentTo { .. }
            | Event::ClientAttached(_)
            | Event::ClientLeft { .. }
            | Event::ClientDetached { .. }
            | Event::AgentSeen { .. }
            | Event::AgentReported { .. }
            | Event::MessagesOffered { .. }
            | Event::MessagesForgotten { .. }
            | Event::SubscriptionChanged { .. }
            | Event::LeaseClaimed(_)
            | Event::LeaseEnded { .. }
            | Event::WaitedInCircle { .. }
    )
}

impl App {
    /// Asks for everything a client must know: events first, so that nothing is missed between.
    pub(super) fn greet(&mut self) {
        self.daemon.ask(Purpose::Listen, &SubscribeEvents { since: None });
        self.daemon.ask(Purpose::Tree, &ListSessions {});
        self.attach();
        self.daemon.ask(Purpose::Status, &GetServerStatus {});
    }

    /// Says which session this terminal shows.
    pub(super) fn attach(&mut self) {
        let (session, size, read_only) = (self.tree.here.into(), self.size, self.options.read_only);
        let color = |(red, green, blue): Rgb| RgbColor(red, green, blue);
        let (foreground, background) = (self.foreground.map(color), self.background.map(color));
        // From the first on, as far as there is none missing.
        let palette = (0..16).map_while(|number| self.palette.get(&number).copied().map(color)).collect();
        let attach = AttachClient { session, size, read_only, foreground, background, palette };
        self.daemon.ask(Purpose::Quiet, &attach);
    }

    pub(super) fn read_daemon(&mut self) {
        match self.daemon.hear() {
            Ok(heard) => self.heard_all(heard),
            Err(CallError::Lost(_)) => self.lost(),
            Err(trouble) => self.farewell = Some(Err(trouble)),
        }
    }

    /// What comes together is taken before anything is asked about it.
    fn heard_all(&mut self, heard: Vec<ServerFrame>) {
        if let Some(words) = self.daemon.type_again() {
            match words {
                Some(words) => self.warn(words),
                // The news that it went away is seen for a moment only.
                None => self.say(" the daemon went away and is there again: everything goes on"),
            }
            self.daemon.ask_again();
            self.paste_on();
        }
        heard.into_iter().for_each(|heard| self.heard(heard));
        self.daemon.owes_the_rest();
        self.tree_on_time(Instant::now());
        if self.daemon.has_missed() {
            self.ask_anew();
        }
    }

    /// Asks for all that may have changed while nothing could be asked.
    fn ask_anew(&mut self) {
        self.watched.clear();
        self.asked_size = None;
        self.attach();
        self.fit_popup();
        self.ask_tree();
    }

    fn lost(&mut self) {
        // Nobody knows whether the part under way was taken: what follows it would stand in the wrong place.
        if self.daemon.has_asked(Purpose::Paste) {
            self.pastes.clear();
            self.warn("the daemon went away in the middle of a paste: the rest of it is not pasted");
        }
        if let Some(verb) = self.daemon.lost() {
            self.unanswered(verb);
        }
        self.held.lost();
        self.watched.clear();
        self.asked_size = None;
        self.dirty = true;
        // StatusMessage at once: a new daemon may be there before the next turn.
        self.draw();
    }

    pub(super) fn reconnect(&mut self) {
        if self.daemon.look() {
            self.greet();
        } else if self.daemon.is_gone() {
            self.leave("[the daemon has ended]");
        } else {
            self.dirty |= self.daemon.is_overdue();
        }
    }

    fn heard(&mut self, heard: ServerFrame) {
        match heard {
            ServerFrame::Answer(id, answer) => {
                if let Some((why, leads)) = self.daemon.answered(id) {
                    self.answered(why, answer);
                    if leads {
                        self.led();
                    }
                }
            }
            ServerFrame::Event(told) => self.happened(*told),
            ServerFrame::Recording(_) => {}
            ServerFrame::Copied(pane, text) => self.program_copied(pane, text),
            ServerFrame::Screen(pane, update) => self.changed(pane, &update),
            ServerFrame::Notice(refused) => self.refused_keys(*refused),
        }
    }

    fn answered(&mut self, why: Purpose, answer: Result<Box<RawValue>, Refused>) {
        match (why, answer) {
            (Purpose::Tree, Ok(reply)) => self.grown(&reply),
            (Purpose::Go, Ok(reply)) => self.went(&reply),
            (Purpose::Read(verb), Ok(reply)) => self.show_reply(verb, &reply),
            (Purpose::Arrive, Ok(reply)) => self.arrive(&reply),
            (Purpose::Popup(size), Ok(reply)) => self.popup_opened(size, &reply),
            (Purpose::Status, Ok(reply)) => self.warned(&reply),
            (Purpose::Messages, Ok(reply)) => self.list_messages(&reply),
            (Purpose::Clients, Ok(reply)) => self.list_clients(&reply),
            (Purpose::Paste, answer) => self.pasted(answer.err()),
            (Purpose::Past(pane, then), Ok(reply)) => self.looked_back(pane, then, &reply),
            (
                Purpose::Command
                | Purpose::Read(_)
                | Purpose::Arrive
                | Purpose::Clients
                | Purpose::Messages
                | Purpose::Popup(_)
                | Purpose::Go
                | Purpose::Listen
                | Purpose::Tree
                | Purpose::Past(..),
                Err(refused),
            ) => {
                self.refused(&refused);
            }
            (Purpose::Watch(pane), Err(_)) => drop(self.watched.remove(&pane)),
            (
                Purpose::Quiet | Purpose::Status | Purpose::Command | Purpose::Listen | Purpose::Watch(_),
                _,
            ) => {}
        }
    }

    /// A window or a pane was gone to: this client looks there, though the daemon's eye was there already.
    fn went(&mut self, reply: &RawValue) {
        if let Ok(pane) = serde_json::from_str::<PaneView>(reply.get()) {
            self.tree.look_at(None, Some(pane.pane_id));
        } else if let Ok(window) = serde_json::from_str::<WindowView>(reply.get()) {
            self.tree.look_at(Some(window.window_id), None);
        }
        self.settle();
        self.dirty = true;
    }

    fn list_messages(&mut self, reply: &RawValue) {
        if let Ok(list) = serde_json::from_str::<MessageList>(reply.get()) {
            self.cover(Overlay::List(overlays::messages(&list)));
        }
    }

    fn list_clients(&mut self, reply: &RawValue) {
        if let Ok(list) = serde_json::from_str::<ClientList>(reply.get()) {
            self.cover(Overlay::List(overlays::clients(&list, self.daemon.client())));
        }
    }

    /// A sentence for who pressed a key: the pane that has the keyboard is this one, and no argument was named.
    fn plain(&self, message: &str) -> String {
        let message =
            ["direction: ", "layout: "].iter().find_map(|name| message.strip_prefix(name)).unwrap_or(message);
        match self.tree.pane() {
            Some(pane) => message.replace(&format!("pane {}", pane.pane_id), "this pane"),
            None => message.to_owned(),
        }
    }

    fn refused(&mut self, refused: &Refused) {
        // What there is, is seen here by a key.
        let tree = self.config.keys.of("choose-tree").unwrap_or_else(|| "choose-tree".into());
        let hint = refused.hint.as_ref().map(|hint| hint.replace("`fugue list-sessions`", &tree));
        let hint = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
        self.say(format!("{}{hint}", self.plain(&refused.message)));
    }

    fn grown(&mut self, reply: &RawValue) {
        let begun = Instant::now();
        let Ok(list) = serde_json::from_str::<SessionList>(reply.get()) else { return };
        self.tree.told(list.sessions);
        // A large tree is asked for less often, so that reading it takes a small part of the time.
        self.tree_again = Some(Instant::now() + begun.elapsed() * SHARE);
        if self.tree.session().is_none() {
            return self.leave("[the session has ended]");
        }
        self.look_for_popup();
        self.forget_pasts();
        self.settle();
        self.arrived();
        self.dirty = true;
    }

    /// Whether this client follows where something leads: not if another person's terminal asked for it.
    fn follows(&self, told: &EventRecord) -> bool {
        told.by.is_none() || told.by == self.daemon.client()
    }

    fn happened(&mut self, told: EventRecord) {
        let follows = self.follows(&told);
        match told.event {
            Event::WindowSelected { window } if follows => self.look_at(Some(window), None),
            // When a pane closes, the daemon's eye goes to another one; this client's only if it looked at the same.
            Event::PaneFocused { pane } if follows && self.closed_at != Some(told.at) => {
                self.look_at(None, Some(pane));
            }
            Event::ClientDetached { client } if Some(client) == self.daemon.client() => {
                self.leave("[detached: somebody asked for it]");
            }
            Event::ClientLeft { client } => self.someone_left(client),
            Event::SessionClosed { session } if session == self.tree.here => {
                self.leave("[the session has ended]");
            }
            Event::PaneTitled { pane, title } => {
                self.tree.retitle(pane, &title);
                self.dirty = true;
            }
            Event::AgentStateChanged { pane, agent } => self.agent_changed(pane, agent),
            Event::PaneRang { pane } => self.call(pane, "", ""),
            Event::PaneNotified { pane, title, body } => self.call(pane, &title, &body),
            Event::MessageSent(envelope) => {
                let recipients = envelope.recipients.iter().map(|recipient| recipient.session);
                recipients.for_each(|session| self.tree.count_unread(session, |count| count + 1));
                self.dirty = true;
            }
            Event::MessagesRead { session, messages, .. } => {
                self.tree.count_unread(session, |count| count.saturating_sub(messages.len()));
                self.dirty = true;
            }
            Event::PaneClosed { pane, .. } => {
                self.popup_closed(pane);
                self.closed_at = Some(told.at);
                self.look_again();
            }
            Event::PaneRespawned(respawned) => {
                self.watched.remove(&respawned.pane);
                self.look_again();
            }
            Event::WindowResized { window, size } => {
                self.someone_resized(window, size, told.by);
                self.look_again();
            }
            event if changes_the_tree(&event) => self.look_again(),
            _ => {}
        }
    }

    /// This client looks elsewhere, at something that may not have been told of yet.
    fn look_at(&mut self, window: Option<WindowId>, pane: Option<PaneId>) {
        self.tree.look_at(window, pane);
        let known = window.is_none_or(|window| self.tree.find_window(window).is_some())
            && pane.is_none_or(|pane| self.tree.find_pane(pane).is_some());
        if known {
            self.settle();
            self.dirty = true;
        } else {
            self.look_again();
        }
    }

    /// The tree is no longer as it was told. It is asked for once, however much happens meanwhile.
    fn look_again(&mut self) {
        self.stale = true;
        self.tree_again.get_or_insert_with(Instant::now);
    }

    pub(super) fn ask_tree(&mut self) {
        self.stale = false;
        self.daemon.ask(Purpose::Tree, &ListSessions {});
    }

    /// When the tree is asked for again, if it must be.
    pub(super) fn tree_due(&self) -> Option<Instant> {
        self.tree_again.filter(|_| self.stale && !self.daemon.has_asked(Purpose::Tree))
    }

    pub(super) fn tree_on_time(&mut self, now: Instant) {
        if self.tree_due().is_some_and(|due| due <= now) {
            self.ask_tree();
        }
    }

    fn changed(&mut self, pane: PaneId, update: &[u8]) {
        if let Ok(update) = Update::decode(update)
            && self.watched.contains(&pane)
        {
            let mirror = self.mirrors.entry(pane).or_default();
            // Light and dark change places in all rows at once.
            let exchanged = mirror.modes.reverse_video() != update.modes.reverse_video();
            let colored = update.colors.as_ref().is_some_and(|own| *own != mirror.colors);
            self.dirty |= mirror.size != update.size || exchanged || colored;
            mirror.apply(&update);
            self.changed.add(pane, &update);
        }
    }
}
