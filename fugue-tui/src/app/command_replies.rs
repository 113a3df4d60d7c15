//! Commands whose reply matters to a person: one to read, and a new session to switch to.

use fugue_protocol::verbs::{CreateSession, VerbSpec};
use fugue_protocol::views::{PaneCreated, WindowView};
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::Purpose;
use crate::command::{self, Command, verb_traits};
use crate::overlays::{self, Overlay};

impl App {
    /// Shows the reply of a verb: a single line on the status line, more as a list.
    pub(super) fn show_reply(&mut self, verb: &'static str, reply: &RawValue) {
        let text = (self.options.render_reply)(verb, reply);
        match text.trim_end().lines().collect::<Vec<_>>().as_slice() {
            [] => self.say(format!("{verb}: nothing to show")),
            [line] => self.say(*line),
            // Keys did not wait for the reply: a list would take those that are meant for the pane.
            [first, ..] if verb_traits::may_wait(verb) => {
                text.trim_end().lines().rev().for_each(|line| self.messages.note(line));
                let key = self.key_for("show-messages");
                self.say(format!("{verb}: {first} ({key} shows all of it)"));
            }
            lines => {
                let list = overlays::reply(verb, lines, self.display.size.cols);
                self.open_overlay(Overlay::List(list));
                self.watch_visible();
            }
        }
        self.display.redraw();
    }

    /// Creates a session, and switches to it when it is there.
    pub(super) fn new_session(&mut self, words: &[&str]) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        match command::verb(CreateSession::NAME, words, &self.tree) {
            Ok(Command::Verb { name, args }) => {
                self.daemon.request_named(Purpose::NewSession, name, &args);
            }
            Ok(Command::Own(_)) => {}
            Err(why) => self.say_error(why),
        }
    }

    /// Reports that a window got another index than requested.
    pub(super) fn window_moved(&mut self, wanted: usize, reply: &RawValue) {
        let moved = serde_json::from_str::<WindowView>(reply.get()).ok();
        if let Some(window) = moved.filter(|window| window.index != wanted) {
            self.say(format!("Windows have no gaps between them; moved to {}", window.index));
        }
    }

    pub(super) fn session_created(&mut self, reply: &RawValue) {
        if let Ok(created) = serde_json::from_str::<PaneCreated>(reply.get()) {
            self.panes.new_session = Some(created.session_id);
            self.switch_to_new_session();
        }
    }

    /// Switches to a new session as soon as the tree lists it.
    pub(super) fn switch_to_new_session(&mut self) {
        let listed = self.panes.new_session.filter(|session| self.tree.find_session(*session).is_some());
        if let Some(session) = listed {
            self.panes.new_session = None;
            self.switch_session(&session.to_string());
        }
    }
}
