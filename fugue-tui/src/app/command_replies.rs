//! Replies that matter to a person: one to read, a new session to switch to, and refusals in the client's words.

use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{CreateSession, VerbSpec};
use fugue_protocol::views::{PaneCreated, WindowView};
use fugue_protocol::wording::capitalized;
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::Purpose;
use crate::command::{self, Command, verb_traits};
use crate::hints::KeyWords;
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

impl App {
    pub(super) fn say_refused(&mut self, refused: &Refused) {
        self.say_error(self.refused_text(refused));
    }

    /// What is said about a refusal.
    pub(super) fn refused_text(&self, refused: &Refused) -> String {
        // The active pane was not named, so naming another one is no advice.
        let is_about_pane = refused.code == "invalid_argument"
            && refused.detail.get("what").is_some_and(|what| what == "pane");
        let hint = refused.hint_in(&KeyWords { keys: &self.config.keys }).filter(|_| !is_about_pane);
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}{hint}", capitalized(&self.refusal_message(refused)))
    }

    /// The message of a refusal for a person who pressed a key: the active pane is "this pane", and arguments, which
    /// that person did not name, are not mentioned.
    fn refusal_message(&self, refused: &Refused) -> String {
        let why = refused.detail.get("why").and_then(|why| why.as_str());
        let message = match why {
            Some(why) if refused.code == "invalid_argument" => why,
            _ => &refused.message,
        };
        let Some(pane) = self.tree.pane() else { return message.to_owned() };
        let id = pane.pane_id;
        message.replace(&format!("pane {id}"), "this pane").replace(&format!("Pane {id}"), "This pane")
    }
}
